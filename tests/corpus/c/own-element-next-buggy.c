// Each thread gets an element of its own, and writes the one beside it.
//
// races: UNSAFE
#include <pthread.h>
int cells[4];

void *worker(void *argument) {
  int *own = argument;
  *own = 1;
  own = own + 1;
  *own = 2;
  return 0;
}

int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], 0, worker, &cells[i]);
  return 0;
}
