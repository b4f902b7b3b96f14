// Functions in structs and tables.
//
// assertions: SAFE
// memory: SAFE
#include <assert.h>
#include <stdlib.h>
struct ops { int (*add)(int, int); void (*set)(void *, int); };
struct obj { const struct ops *ops; int v; };
static int add(int a, int b) {
  return a + b;
}

static int sub(int a, int b) {
  return a - b;
}

static void set(void *o, int v) {
  ((struct obj *)o)->v = v;
}

static const struct ops plus = { .add = add, .set = set }, minus = { sub, set };
typedef int (*fn)(int, int);
fn table[] = { add, sub, &add };
int main(void) {
  struct obj a = { &plus, 0 }, *b = malloc(sizeof *b);
  b->ops = &minus;
  a.ops->set(&a, a.ops->add(2, 3));
  b->ops->set(b, b->ops->add(2, 3));
  assert(a.v == 5 && b->v == -1);
  int s = 0;
  for (int i = 0; i < 3; i++) s += (*table[i])(10, 1);
  assert(s == 31);
  free(b);
  return 0;
}
