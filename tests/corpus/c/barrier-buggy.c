// A barrier for three at which two arrive.
//
// deadlock: UNSAFE
#include <pthread.h>
pthread_barrier_t b;
void *f(void *p) {
  pthread_barrier_wait(&b);
  return 0;
}

int main(void) {
  pthread_barrier_init(&b, 0, 3);
  pthread_t s, t;
  pthread_create(&s,0,f,(void*)0);
  pthread_create(&t,0,f,(void*)1);
  pthread_join(s,0);
  pthread_join(t,0);
  return 0;
}
