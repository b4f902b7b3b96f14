// Structs are copied, given, and returned part by part.
//
// assertions: SAFE
// races: SAFE
// memory: SAFE
#include <pthread.h>
#include <assert.h>
struct in { short a; unsigned char b[2]; };
struct s { int x; struct in i[2]; struct s *next; };
struct s g, h;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct s make(int n) {
  struct s r = { n, { { 1, {2, 3} } , { .b = { [1] = 7 } } }, 0 };
  return r;
}

int sum(struct s v) {
  v.x += v.i[0].a + v.i[0].b[1] + v.i[1].b[1];
  return v.x;
}

void *f(void *p) {
  pthread_mutex_lock(&m);
  g = make(5);
  h = g;
  pthread_mutex_unlock(&m);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  assert(sum(h) == 5 + 1 + 3 + 7);
  assert(h.x == 5);
  struct s a[2] = { make(1), make(2) };
  a[0] = a[1];
  assert(a[0].x == 2 && a[0].i[1].b[0] == 0);
  return 0;
}
