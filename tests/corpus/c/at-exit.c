// What `atexit` was told runs when main returns, the last one first, after the value has been computed.
// assertions: SAFE
#include <assert.h>
#include <stdlib.h>

static int step;

static void first(void) {
  assert(step == 3);
}

static void second(void) {
  assert(step == 2);
  step = 3;
}

int main(void) {
  atexit(first);
  atexit(second);
  step = 1;
  return step++ - 1;
}
