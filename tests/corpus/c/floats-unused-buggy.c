// The error does not depend on the numbers.
//
// assertions: UNSAFE
#include <assert.h>
int x;
int main(void) {
  double d = 1.5;
  d = d * 2 + x;
  d++;
  assert(x == 3);
  return 0;
}
