// The element belongs to the thread once that is created.
//
// races: UNSAFE
#include <pthread.h>
int cells[3];

void *worker(void *argument) {
  int *cell = argument;
  *cell = 1;
  return 0;
}

int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) {
    pthread_create(&t[i], 0, worker, &cells[i]);
    cells[i] = 2;
  }
  return 0;
}
