// A condition is waited for without a loop: a wait may wake up by itself.
//
// assertions: UNSAFE
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, v;
void *f(void *p) {
  pthread_mutex_lock(&m);
  v = 42;
  ready = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t,0,f,0);
  pthread_mutex_lock(&m);
  if (!ready) pthread_cond_wait(&c, &m);
  assert(v == 42);
  pthread_mutex_unlock(&m);
  pthread_join(t,0);
  return 0;
}
