// Elements are moved to where others are: the last one first.
//
// assertions: SAFE
#include <assert.h>
#include <string.h>
int main(void) {
  int w[6] = {1,2,3,4,5,6};
  memmove(w + 1, w, 4 * sizeof(int));
  assert(w[1] == 1 && w[2] == 2 && w[3] == 3 && w[4] == 4 && w[5] == 6);
  int v[6] = {1,2,3,4,5,6};
  memmove(v, v + 1, 4 * sizeof(int));
  assert(v[0] == 2 && v[3] == 5 && v[4] == 5);
  return 0;
}
