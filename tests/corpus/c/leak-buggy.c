// Memory whose only pointer is overwritten.
//
// memtrack: UNSAFE
// memory: SAFE
#include <stdlib.h>
int main(void) {
  int *p = malloc(sizeof *p);
  p = 0;
  return 0;
}
