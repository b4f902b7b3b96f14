// A local variable that was never set has any value.
//
// assertions: UNSAFE
#include <assert.h>
int main(void) {
  int x;
  int *p = &x;
  assert(*p != 12345);
  return 0;
}
