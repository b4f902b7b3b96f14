// Unsigned numbers wrap around, and narrow ones are widened before they are added.
// assertions: SAFE
// memory: SAFE
#include <assert.h>

int main(void) {
  unsigned char small = 250;
  small += 10;
  assert(small == 4);
  unsigned large = 0;
  assert(large - 1 > 0);
  short s = -1;
  assert((unsigned short)s == 65535 && s < 0u + 1 == 0);
  assert(-7 / 2 == -3 && -7 % 2 == -1);
  return 0;
}
