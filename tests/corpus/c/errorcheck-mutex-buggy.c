// Whoever does not look at the number goes on without the lock.
//
// assertions: UNSAFE
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m;
int x;
void *f(void *p) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  x = x + 1;
  pthread_mutex_unlock(&m);
  return 0;
}

int main(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&m, &a);
  pthread_t s, t;
  pthread_create(&s, 0, f, 0);
  pthread_create(&t, 0, f, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(x == 2);
  return 0;
}
