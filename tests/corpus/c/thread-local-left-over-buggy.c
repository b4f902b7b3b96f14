// What is thread-local is gone when its thread has ended, though its address is still known.
//
// memory: UNSAFE
#include <pthread.h>
__thread int own;
int *left_over;

void *worker(void *argument) {
  own = 1;
  left_over = &own;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  pthread_join(t, 0);
  return *left_over;
}
