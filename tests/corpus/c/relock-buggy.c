// A normal mutex is taken by its holder.
//
// locks: UNSAFE
// deadlock: UNSAFE
// assertions: SAFE
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m;
int main(void) {
  pthread_mutex_init(&m, 0);
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  assert(0);
  return 0;
}
