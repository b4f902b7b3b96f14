// Compound literals, designators, anonymous members, _Generic, typeof.
//
// assertions: SAFE
#include <assert.h>
struct p { int x, y; };
static int s(const struct p *p) {
  return p->x + p->y;
}

int main(void) {
  assert(s(&(struct p){ 3, 4 }) == 7);
  int *a = (int[]){ 1, 2, 3 };
  assert(a[2] == 3);
  struct p q[] = { [1] = { .y = 2 }, { 5, 6 } };
  assert(sizeof q / sizeof *q == 3 && q[2].x == 5 && q[0].x == 0);
  struct { struct { int a; }; union { int b; int c; }; } an = { .a = 1, .b = 2 };
  assert(an.a == 1 && an.c == 2);
  assert(_Generic(1, int: 1, default: 0));
  assert(({ int t = 4; t * 2; }) == 8);
  typeof(q[0].x) z = 4;
  assert(z == 4);
  return 0;
}
