// An array whose length is a number that the program computes: ten elements, which all count.
//
// assertions: SAFE
// memory: SAFE
#include <assert.h>
#include <stdlib.h>
int sum(int n) {
  int *a = malloc(n * sizeof(int)), all = 0;
  for (int i = 0; i < n; i++) a[i] = i;
  for (int i = 0; i < n; i++) all += a[i];
  free(a);
  return all;
}
int main(void) {
  assert(sum(10) == 45);
  return 0;
}
