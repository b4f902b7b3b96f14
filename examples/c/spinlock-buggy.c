// The lock is tested and taken in two steps, so two threads may come through.
// assertions: UNSAFE
// races: UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int held;
int count;

void take(void) {
  while (atomic_load(&held))
    ;
  atomic_store(&held, 1);
}

void *worker(void *unused) {
  take();
  count++;
  atomic_store(&held, 0);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(count == 2);
  return 0;
}
