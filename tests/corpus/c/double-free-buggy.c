// Memory is freed twice.
//
// memory: UNSAFE
#include <stdlib.h>
int main(void) {
  int *p = malloc(4), *q = p;
  free(p);
  free(q);
  return 0;
}
