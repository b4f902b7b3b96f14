// As many threads as a variable says, with handles in an array of that length: they all write one variable.
// races: UNSAFE
#include <pthread.h>

int workers = 2, last;

void *worker(void *unused) {
  last = 1;
  return 0;
}

int main(void) {
  pthread_t t[workers];
  for (int i = 0; i < workers; i++)
    pthread_create(&t[i], 0, worker, 0);
  return 0;
}
