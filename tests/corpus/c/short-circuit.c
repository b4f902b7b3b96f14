// What the left operand protects.
//
// assertions: SAFE
// memory: SAFE
#include <assert.h>
struct n { struct n *next; int v; } a = { 0, 3 };
int main(void) {
  struct n *p = 0;
  if (p && p->v) assert(0);
  if (!p || p->v == 3) p = &a;
  assert(p->next == 0 || p->next->v);
  int z = 0;
  if (z != 0 && 10 / z > 1) assert(0);
  return 0;
}
