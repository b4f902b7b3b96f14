// On one way the lock is given back twice.
// locks: UNSAFE
#include <pthread.h>

int x;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *unused) {
  pthread_mutex_lock(&lock);
  if (x == 1)
    pthread_mutex_unlock(&lock);
  x = 1;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  return 0;
}
