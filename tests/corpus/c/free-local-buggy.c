// A local variable is freed.
//
// memory: UNSAFE
#include <stdlib.h>
int main(void) {
  int x;
  int *p = &x;
  free(p);
  return 0;
}
