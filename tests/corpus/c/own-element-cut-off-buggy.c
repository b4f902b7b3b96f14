// What is left of an index may be the same for two threads.
//
// races: UNSAFE
#include <pthread.h>
int cells[2];

void *worker(void *argument) {
  int i = (_Bool)(long)argument;
  cells[i] = 1;
  return 0;
}

int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], 0, worker, (void *)(long)i);
  return 0;
}
