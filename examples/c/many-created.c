// Ten thousand threads are created, and joined: far more than a search tries. Each leaves the counter as it found it.
// assertions: SAFE
// locks: SAFE
#include <assert.h>
#include <pthread.h>

enum { MANY = 10000 };

int visitors;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *visit(void *unused) {
  pthread_mutex_lock(&lock);
  visitors++;
  visitors--;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t threads[MANY];
  for (int i = 0; i < MANY; i++)
    pthread_create(&threads[i], 0, visit, 0);
  pthread_mutex_lock(&lock);
  assert(visitors == 0);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < MANY; i++)
    pthread_join(threads[i], 0);
  return 0;
}
