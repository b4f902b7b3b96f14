// What is computed with floating-point numbers is not known: an error that depends on it is none.
//
// assertions: UNKNOWN
#include <assert.h>
int main(void) {
  double d = 1.5;
  d = d * 2;
  assert(d == 3.0);
  return 0;
}
