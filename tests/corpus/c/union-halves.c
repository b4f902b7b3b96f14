// What is stored to a whole changes its halves: not followed, and never taken for nothing.
//
// assertions: UNKNOWN
#include <assert.h>
union { int i; struct { short a, b; } q; } u;
int main(void) {
  u.i = 0x10000;
  assert(u.q.b == 0);
  return 0;
}
