// Nothing says how many nodes there will be: the pool grows until there are enough.
// assertions: SAFE
// memory: SAFE
#include <assert.h>
#include <stdlib.h>

struct node { struct node *next; int value; };

int main(void) {
  struct node *list = 0;
  int count = 0, sum = 0;
  while (1) {
    struct node *fresh = malloc(sizeof *fresh);
    fresh->next = list;
    fresh->value = count++;
    list = fresh;
    if (count == 10)
      break;
  }
  while (list) {
    struct node *old = list;
    sum += old->value;
    list = old->next;
    free(old);
  }
  assert(sum == 45);
  return 0;
}
