// Static and thread-local variables.
//
// assertions: SAFE
// races: UNSAFE
#include <pthread.h>
#include <assert.h>
int next(void) {
  static int n = 10;
  return n++;
}

static __thread int mine = 3;
void *f(void *p) {
  next();
  mine++;
  assert(mine == 4);
  return 0;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s,0,f,0);
  pthread_create(&t,0,f,0);
  pthread_join(s,0);
  pthread_join(t,0);
  int n = next();
  assert(n == 11 || n == 12);
  assert(mine == 3);
  return 0;
}
