// An address is an integer for a while.
//
// assertions: SAFE
#include <stdint.h>
#include <assert.h>
int x = 3;
int main(void) {
  uintptr_t u = (uintptr_t)&x;
  int *p = (int *)u;
  assert(*p == 3);
  return 0;
}
