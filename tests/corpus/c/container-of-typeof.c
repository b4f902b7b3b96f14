// The same with a statement expression.
//
// assertions: SAFE
// memory: SAFE
#include <assert.h>
#include <stddef.h>
#define container_of(ptr, type, member) ({ const typeof(((type *)0)->member) *__mptr = (ptr); (type *)((char *)__mptr - offsetof(type, member)); })
struct list_head { struct list_head *next, *prev; };
struct item { int v; struct list_head link; } x = { 5 };
int main(void) {
  struct list_head *l = &x.link;
  assert(container_of(l, struct item, link)->v == 5);
  return 0;
}
