// Whatever is in a variable that was not set, it is the same each time somebody looks; a new round of the loop has a new variable.
//
// assertions: SAFE
#include <assert.h>

static void may_set(unsigned *value, int does) {
  if (does)
    *value = 7;
}

int main(void) {
  for (int round = 0; round < 2; round++) {
    unsigned value;
    may_set(&value, round);
    unsigned first = value;
    assert(value == first);
    assert(!round || value == 7);
    unsigned *again = &value;
    assert(*again == first);
  }
  return 0;
}
