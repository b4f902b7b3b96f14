// A recursive mutex by its attributes.
//
// assertions: SAFE
// locks: SAFE
// deadlock: SAFE
// races: SAFE
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m;
int x;
void inc(int d) {
  pthread_mutex_lock(&m);
  x++;
  if (d) inc(d - 1);
  pthread_mutex_unlock(&m);
}

void *f(void *a) {
  inc(1);
  return 0;
}

int main(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &a);
  pthread_mutexattr_destroy(&a);
  pthread_t s, t;
  pthread_create(&s,0,f,0);
  pthread_create(&t,0,f,0);
  pthread_join(s,0);
  pthread_join(t,0);
  assert(x == 4);
  pthread_mutex_destroy(&m);
  return 0;
}
