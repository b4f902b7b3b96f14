// An address with a bit set: not followed.
//
// assertions: UNKNOWN
#include <stdint.h>
#include <assert.h>
int x = 3;
int main(void) {
  uintptr_t u = (uintptr_t)&x | 1;
  int *p = (int *)(u & ~(uintptr_t)1);
  assert(*p == 3);
  return 0;
}
