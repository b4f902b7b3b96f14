// A mutex that checks gives numbers of errors, and stays as it is.
//
// assertions: SAFE
// locks: SAFE
// deadlock: SAFE
#include <pthread.h>
#include <errno.h>
#include <assert.h>
pthread_mutex_t m;
void *f(void *p) {
  assert(pthread_mutex_unlock(&m) == EPERM);
  assert(pthread_mutex_trylock(&m) == EBUSY);
  return 0;
}

int main(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&m, &a);
  assert(pthread_mutex_lock(&m) == 0);
  assert(pthread_mutex_lock(&m) == EDEADLK);
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  assert(pthread_mutex_unlock(&m) == 0);
  assert(pthread_mutex_unlock(&m) == EPERM);
  return 0;
}
