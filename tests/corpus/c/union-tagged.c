// A union whose members take turns, by a tag: not followed where they overlap in part.
//
// assertions: UNKNOWN
#include <assert.h>
#include <stdlib.h>
struct ev { int tag; union { int n; int *p; struct { short a, b; } q; } u; };
int g = 4;
int get(struct ev *e) {
  return e->tag == 0 ? e->u.n : e->tag == 1 ? *e->u.p : e->u.q.b;
}

int main(void) {
  struct ev e;
  e.tag = 0;
  e.u.n = 3;
  assert(get(&e) == 3);
  e.tag = 1;
  e.u.p = &g;
  assert(get(&e) == 4);
  e.tag = 2;
  e.u.q.a = 1;
  e.u.q.b = 9;
  assert(get(&e) == 9);
  struct ev f = e;
  assert(f.u.q.b == 9);
  return 0;
}
