// The last pointer is a variable of main, which is gone when main returns.
//
// memtrack: UNSAFE
#include <stdlib.h>
int main(void) {
  int *p = malloc(sizeof *p);
  *p = 1;
  return 0;
}
