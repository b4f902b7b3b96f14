// Objects, elements and bytes are set and copied.
//
// assertions: SAFE
// memory: SAFE
#include <assert.h>
#include <string.h>
#include <stdlib.h>
struct s { int a; char b[5]; void *p; };
int main(void) {
  struct s x, y;
  memset(&x, 0, sizeof x);
  assert(x.a == 0 && x.b[4] == 0 && !x.p);
  x.a = 7;
  x.b[2] = 'c';
  memcpy(&y, &x, sizeof(struct s));
  assert(y.a == 7 && y.b[2] == 'c');
  int v[6];
  memset(v, 0xff, sizeof v);
  assert(v[5] == -1);
  int w[6] = {1,2,3,4,5,6};
  memmove(w + 1, w, 4 * sizeof(int));
  memset(w, 0, 2 * sizeof *w);
  assert(w[0] == 0 && w[1] == 0);
  struct s *h = malloc(3 * sizeof *h);
  memset(h, 0, 3 * sizeof *h);
  assert(h[2].a == 0);
  free(h);
  char buf[8];
  memset(buf, 'x', 8);
  assert(buf[7] == 'x');
  memcpy(buf, "abc", 4);
  assert(buf[0] == 'a' && buf[3] == 0);
  return 0;
}
