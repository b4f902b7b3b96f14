// Nobody knows how many threads there are; main joins all of them before it looks at what they have counted.
// races: SAFE
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int total;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *count(void *unused) {
  pthread_mutex_lock(&lock);
  total++;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  int threads = __VERIFIER_nondet_int();
  if (threads < 0) return 0;
  pthread_t *handles = malloc(threads * sizeof(pthread_t));
  for (int i = 0; i < threads; i++) pthread_create(&handles[i], 0, count, 0);
  for (int i = 0; i < threads; i++) pthread_join(handles[i], 0);
  return total;
}
