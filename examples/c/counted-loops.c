// Two threads count to 20 each, under a lock, and main looks at the sum when both are done: an increment is never lost.
// assertions: SAFE
// races: SAFE
#include <assert.h>
#include <pthread.h>

int total;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *count(void *unused) {
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&lock);
    total = total + 1;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, count, 0);
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&lock);
    total = total + 1;
    pthread_mutex_unlock(&lock);
  }
  pthread_join(other, 0);
  assert(total == 40);
  return 0;
}
