// It is right whatever the numbers are.
//
// assertions: SAFE
#include <assert.h>
int x;
int main(void) {
  double d = 1.5;
  d = d * 2;
  if (d > 7)
    x = 1;
  else
    x = 2;
  assert(x != 3);
  return 0;
}
