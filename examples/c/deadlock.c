// The same forks in the same order. A semaphore that nobody posts would be a deadlock too, but main returns: that ends the
// process, and who waits then waits for nothing.
// deadlock: SAFE
// races: SAFE
// locks: SAFE
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
sem_t never;
int meals;

void *philosopher(void *unused) {
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
  meals++;
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);
  return 0;
}

void *waiter(void *unused) {
  sem_wait(&never);
  return 0;
}

int main(void) {
  pthread_t a, b, c;
  sem_init(&never, 0, 0);
  pthread_create(&a, 0, philosopher, 0);
  pthread_create(&b, 0, philosopher, 0);
  pthread_create(&c, 0, waiter, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
