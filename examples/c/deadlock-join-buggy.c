// A thread waits for a barrier of three that only two ever come to.
// deadlock: UNSAFE
// assertions: SAFE
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int ready;

void *worker(void *unused) {
  pthread_barrier_wait(&barrier);
  assert(0);
  return 0;
}

int main(void) {
  pthread_t a;
  pthread_barrier_init(&barrier, 0, 3);
  pthread_create(&a, 0, worker, 0);
  pthread_barrier_wait(&barrier);
  return 0;
}
