// A pointer into the array survives its growth.
// memory: UNSAFE
// native: memory that realloc moves is not followed in compiled programs
#include <stdlib.h>

int main(void) {
  int *all = malloc(2 * sizeof(int));
  int *first = &all[0];
  *first = 1;
  all = realloc(all, 4 * sizeof(int));
  *first = 2;
  free(all);
  return 0;
}
