// Of an array as long as an input says, an element is read that was never set: it may have any value.
//
// assertions: UNSAFE
#include <assert.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1) return 0;
  int *a = malloc(n * sizeof(int));
  for (int i = 1; i < n; i++) a[i] = 3;
  assert(a[0] != 12345);
  return 0;
}
