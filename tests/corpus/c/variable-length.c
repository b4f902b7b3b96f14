// An array of variable length.
//
// assertions: SAFE
// memory: SAFE
#include <assert.h>
int f(int n) {
  int a[n];
  for (int i = 0; i < n; i++) a[i] = i;
  return a[n - 1];
}

int main(void) {
  assert(f(3) == 2);
  return 0;
}
