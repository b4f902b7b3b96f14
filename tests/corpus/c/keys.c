// Keys with a destructor.
//
// assertions: SAFE
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
pthread_key_t k;
int freed;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void d(void *p) {
  pthread_mutex_lock(&m);
  freed++;
  pthread_mutex_unlock(&m);
  free(p);
}

void *f(void *p) {
  assert(pthread_getspecific(k) == 0);
  int *q = malloc(sizeof *q);
  *q = 1;
  pthread_setspecific(k, q);
  assert(*(int *)pthread_getspecific(k) == 1);
  return 0;
}

int main(void) {
  pthread_key_create(&k, d);
  pthread_t s, t;
  pthread_create(&s,0,f,0);
  pthread_create(&t,0,f,0);
  pthread_join(s,0);
  pthread_join(t,0);
  assert(freed == 2);
  pthread_key_delete(k);
  return 0;
}
