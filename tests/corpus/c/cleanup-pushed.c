// The lock is given back by what was pushed.
// assertions: SAFE
// locks: SAFE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void give_back(void *mutex) {
  pthread_mutex_unlock(mutex);
}

static void *work(void *unused) {
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(give_back, &lock);
  count++;
  pthread_cleanup_pop(1);
  return 0;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, 0, work, 0);
  work(0);
  pthread_join(worker, 0);
  assert(count == 2);
  return 0;
}
