// Attributes and extensions of the compiler.
//
// assertions: SAFE
#include <assert.h>
struct __attribute__((packed)) p {
  char c;
  int i;
};
typedef int v4 __attribute__((aligned(16)));
static inline __attribute__((always_inline)) int id(int x) {
  return x;
}

int main(void) {
  assert(sizeof(struct p) == 5);
  struct p q = { 1, 2 };
  q.i += q.c;
  assert(id(q.i) == 3);
  __extension__ int z = 4;
  assert(z == 4);
  register int r = 2;
  assert(__builtin_expect(r == 2, 1));
  _Static_assert(sizeof(int) == 4, "x");
  int a[] = { [0 ... 2] = 5 };
  assert(a[2] == 5);
  void *lab = 0;
  (void)lab;
  return 0;
}
