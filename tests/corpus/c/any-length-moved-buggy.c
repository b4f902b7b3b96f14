// A pointer to behind the last element of an array as long as an input says is followed.
//
// memory: UNSAFE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1) return 0;
  int *a = malloc(n * sizeof(int));
  int *last = a;
  last = last + n;
  *last = 1;
  a[0] = 2;
  return *last;
}
