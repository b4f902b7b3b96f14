// Each thread gets an index of its own, but the pointer to the array moves.
//
// races: UNSAFE
#include <pthread.h>
int cells[4];
int *start = cells + 1;

void *worker(void *argument) {
  start[(long)argument] = 1;
  return 0;
}

int main(void) {
  pthread_t t[2];
  for (long i = 0; i < 2; i++) {
    pthread_create(&t[i], 0, worker, (void *)i);
    start = cells;
  }
  return 0;
}
