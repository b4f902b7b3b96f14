// Ackermann's function does not grow as slowly as the assertion says.
// assertions: UNSAFE
#include <assert.h>

unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

int main(void) {
  assert(ackermann(2, 1) < 5);
  return 0;
}
