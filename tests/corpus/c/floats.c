// What floating-point numbers are is not known.
//
// assertions: UNSAFE
#include <assert.h>
int main(void) {
  double d = 1.5;
  d = d * 2;
  assert(d < 3.0);
  return 0;
}
