// Threads without a bound.
//
// assertions: UNSAFE
#include <pthread.h>
#include <assert.h>
int x, n;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *p) {
  pthread_mutex_lock(&m);
  x++;
  assert(x < 3);
  pthread_mutex_unlock(&m);
  return 0;
}

extern int more(void);
int main(void) {
  while (more()) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
  }
  return 0;
}
