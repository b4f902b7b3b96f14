// Where the process is ended in the middle, main has its variables still.
//
// memtrack: UNKNOWN
#include <stdlib.h>
int main(void) {
  int *p = malloc(sizeof *p);
  *p = 1;
  exit(0);
}
