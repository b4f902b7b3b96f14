// A thread that waits for what its creator stores.
// After Lu, Park, Seo and Zhou, ASPLOS 2008, figure 2 (Mozilla); row Fig2-fixed of THREADER, table 1.
//
// The fix: the creator stores the handle under a lock, and the new thread looks at it under the same lock until it is there.
// assertions: SAFE
// races: SAFE
// memory: SAFE
// locks: SAFE
#include <assert.h>
#include <pthread.h>

struct thread {
  int state;
  int handle;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct thread created;

void *run(void *unused) {
  pthread_mutex_lock(&lock);
  while (created.handle == 0) {
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
  }
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  assert(created.handle != 0);
  created.state = 1;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_mutex_lock(&lock);
  pthread_create(&t, 0, run, 0);
  created.handle = 7;
  pthread_mutex_unlock(&lock);
  pthread_join(t, 0);
  return 0;
}
