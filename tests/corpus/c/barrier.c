// Two threads meet at a barrier; one of them is told to be the last.
//
// assertions: SAFE
// races: SAFE
// deadlock: SAFE
#include <pthread.h>
#include <assert.h>
pthread_barrier_t b;
int x[2], serial;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *p) {
  long i = (long)p;
  x[i] = 1;
  int r = pthread_barrier_wait(&b);
  assert(x[1 - i] == 1);
  if (r == PTHREAD_BARRIER_SERIAL_THREAD) {
    pthread_mutex_lock(&m);
    serial++;
    pthread_mutex_unlock(&m);
  }
  return 0;
}

int main(void) {
  pthread_barrier_init(&b, 0, 2);
  pthread_t s, t;
  pthread_create(&s,0,f,(void*)0);
  pthread_create(&t,0,f,(void*)1);
  pthread_join(s,0);
  pthread_join(t,0);
  assert(serial == 1);
  pthread_barrier_destroy(&b);
  return 0;
}
