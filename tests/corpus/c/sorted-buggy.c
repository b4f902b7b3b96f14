// The numbers are compared the wrong way round.
// assertions: UNSAFE
#include <assert.h>
#include <stdlib.h>

static int downwards(const void *a, const void *b) {
  return *(const int *)b - *(const int *)a;
}

int main(void) {
  int numbers[3] = {2, 3, 1};
  qsort(numbers, 3, sizeof(int), downwards);
  assert(numbers[0] <= numbers[1]);
  return 0;
}
