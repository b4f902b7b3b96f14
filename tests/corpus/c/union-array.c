// Bytes in an array beside integers: not followed.
//
// assertions: UNKNOWN
#include <assert.h>
union { char c[8]; struct { int x, y; } q; } u;
int main(void) {
  u.q.y = 5;
  assert(u.c[4] == 0);
  return 0;
}
