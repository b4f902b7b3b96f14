// As many elements as somebody says, and one more is written.
// memory: UNSAFE
#include <stdlib.h>

int wanted = 2;

int main(void) {
  int *all = calloc(wanted, sizeof(int));
  for (int at = 0; at <= wanted; at++)
    all[at] = at;
  free(all);
  return 0;
}
