// A thread says when it is about to end, and another one joins it then. The handle is there before the thread runs.
// races: SAFE
#include <pthread.h>

int over;
pthread_t worker;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *work(void *unused) {
  pthread_mutex_lock(&lock);
  over = 1;
  pthread_mutex_unlock(&lock);
  return 0;
}

void *wait_for_it(void *unused) {
  pthread_mutex_lock(&lock);
  int is_over = over;
  pthread_mutex_unlock(&lock);
  if (is_over) pthread_join(worker, 0);
  return 0;
}

int main(void) {
  pthread_t waiter;
  pthread_create(&waiter, 0, wait_for_it, 0);
  pthread_create(&worker, 0, work, 0);
  pthread_join(waiter, 0);
  return 0;
}
