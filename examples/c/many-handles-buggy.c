// More handles than are kept apart; the threads look at the total again when they have given the lock back.
// races: UNSAFE
#include <pthread.h>

int total;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *count(void *unused) {
  pthread_mutex_lock(&lock);
  total++;
  pthread_mutex_unlock(&lock);
  if (total > 5) return &total;
  return 0;
}

int main(void) {
  pthread_t handles[10000];
  for (int i = 0; i < 10000; i++) pthread_create(&handles[i], 0, count, 0);
  for (int i = 0; i < 10000; i++) pthread_join(handles[i], 0);
  return 0;
}
