// A timed lock may fail at any time.
//
// assertions: UNSAFE
// locks: SAFE
// races: SAFE
#include <pthread.h>
#include <time.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *f(void *a) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_sec++;
  if (pthread_mutex_timedlock(&m, &t) == 0) {
    x++;
    pthread_mutex_unlock(&m);
  }
  return 0;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s,0,f,0);
  pthread_create(&t,0,f,0);
  pthread_join(s,0);
  pthread_join(t,0);
  assert(x == 2);
  return 0;
}
