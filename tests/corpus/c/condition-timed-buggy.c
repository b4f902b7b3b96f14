// Time may be up before the signal comes.
//
// assertions: UNSAFE
// races: SAFE
#include <pthread.h>
#include <errno.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int r;
void *f(void *p) {
  pthread_mutex_lock(&m);
  r = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t,0,f,0);
  pthread_mutex_lock(&m);
  struct timespec ts = {0};
  int e = 0;
  while (!r && e != ETIMEDOUT) e = pthread_cond_timedwait(&c, &m, &ts);
  assert(r);
  pthread_mutex_unlock(&m);
  return 0;
}
