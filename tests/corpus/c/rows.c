// An array of arrays on the heap.
//
// assertions: SAFE
// memory: SAFE
#include <stdlib.h>
#include <assert.h>
int main(void) {
  int n = 3;
  int **rows = calloc(n, sizeof *rows);
  assert(!rows[2]);
  for (int i = 0; i < n; i++) {
    rows[i] = malloc(2 * sizeof(int));
    rows[i][0] = i;
    rows[i][1] = -i;
  }
  assert(rows[2][1] == -2 && rows[1][0] == 1);
  for (int i = 0; i < n; i++) free(rows[i]);
  free(rows);
  void *p = malloc(0);
  free(p);
  return 0;
}
