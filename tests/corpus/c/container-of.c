// From a member back to its struct.
//
// assertions: SAFE
// memory: SAFE
// races: SAFE
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#define container_of(p, T, m) ((T *)((char *)(p) - offsetof(T, m)))
struct list { struct list *next; };
struct item { int v; struct list link; };
struct list head;
int main(void) {
  struct item *a = malloc(sizeof *a);
  a->v = 3;
  a->link.next = head.next;
  head.next = &a->link;
  struct item *b = malloc(sizeof *b);
  b->v = 4;
  b->link.next = head.next;
  head.next = &b->link;
  int s = 0;
  for (struct list *l = head.next; l; l = l->next) s += container_of(l, struct item, link)->v;
  assert(s == 7);
  while (head.next) {
    struct item *i = container_of(head.next, struct item, link);
    head.next = i->link.next;
    free(i);
  }
  return 0;
}
