// A list that is changed by pointers to pointers.
//
// assertions: SAFE
// memory: SAFE
#include <assert.h>
#include <stdlib.h>
struct n { int v; struct n *next; };
static void push(struct n **h, int v) {
  struct n *x = malloc(sizeof *x);
  x->v = v;
  x->next = *h;
  *h = x;
}

static void rm(struct n **h, int v) {
  while (*h) {
    if ((*h)->v == v) {
      struct n *d = *h;
      *h = d->next;
      free(d);
      return;
    }
    h = &(*h)->next;
  }
}

int main(void) {
  struct n *h = 0;
  push(&h, 1);
  push(&h, 2);
  push(&h, 3);
  rm(&h, 2);
  assert(h->v == 3 && h->next->v == 1 && !h->next->next);
  int x = 1, *p = &x, **q = &p, ***r = &q;
  ***r = 4;
  assert(x == 4);
  return 0;
}
