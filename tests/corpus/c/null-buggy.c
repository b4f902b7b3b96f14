// A null pointer is followed; what comes after does not happen.
//
// memory: UNSAFE
// assertions: SAFE
#include <assert.h>
#include <stdlib.h>
struct s { int a, b; };
int main(void) {
  struct s *p = 0;
  free(0);
  int x = p->b;
  assert(0);
  return x;
}
