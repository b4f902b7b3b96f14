// A function gives its result through a pointer only sometimes, and nobody asks whether it did: any value may be there.
//
// assertions: UNSAFE
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int find(int key, int *value) {
  if (key < 0)
    return 0;
  *value = 1;
  return 1;
}

int main(void) {
  int value;
  int key = __VERIFIER_nondet_int() ? 1 : -1;
  find(key, &value);
  assert(value == 1);
  return 0;
}
