// What the functions of mutexes give.
//
// assertions: SAFE
#include <pthread.h>
#include <assert.h>
#include <errno.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
  assert(pthread_mutex_trylock(&m) == 0);
  assert(pthread_mutex_trylock(&m) == EBUSY);
  assert(pthread_mutex_unlock(&m) == 0);
  if (pthread_mutex_lock(&m) != 0) assert(0);
  pthread_mutex_unlock(&m);
  return 0;
}
