// An array that grows: what was in it stays, and what it was in is freed.
// assertions: SAFE
// memory: SAFE
#include <assert.h>
#include <stdlib.h>

struct pair { int key, value; };

int main(void) {
  struct pair *all = 0;
  int count = 0;
  for (int round = 0; round < 3; round++) {
    all = realloc(all, (count + 2) * sizeof(struct pair));
    for (int more = 0; more < 2; more++, count++) {
      all[count].key = count;
      all[count].value = 10 * count;
    }
  }
  for (int at = 0; at < count; at++)
    assert(all[at].key == at && all[at].value == 10 * at);
  int *less = malloc(4 * sizeof(int));
  less[1] = 7;
  less = realloc(less, 2 * sizeof(int));
  assert(less[1] == 7);
  free(less);
  free(all);
  return 0;
}
