// An array as long as an input says; the loop goes on one element too far.
//
// memory: UNSAFE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1) return 0;
  int *a = malloc(n * sizeof(int));
  for (int i = 0; i <= n; i++) a[i] = 7;
  return a[n - 1];
}
