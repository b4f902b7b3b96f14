// Pointers to the end of an array, and back.
//
// memory: SAFE
// assertions: SAFE
#include <assert.h>
int main(void) {
  int a[3] = {1,2,3};
  int s = 0;
  for (int *p = a; p != a + 3; p++) s += *p;
  for (int *p = a + 3; p-- > a;) s += *p;
  assert(s == 12);
  assert(&a[3] - &a[0] == 3);
  int *q = a + 1;
  assert(q[-1] == 1);
  return 0;
}
