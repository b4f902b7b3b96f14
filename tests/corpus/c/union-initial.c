// The initial value of one member is that of the others, too.
//
// assertions: UNKNOWN
#include <assert.h>
union { int i; struct { short a, b; } q; } u = { .q = { .b = 1 } };
int main(void) {
  assert(u.i == 0);
  return 0;
}
