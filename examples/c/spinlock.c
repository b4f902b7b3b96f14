// A lock made of compare-and-exchange, and a counter behind it.
// assertions: SAFE
// races: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int held;
int count;

void take(void) {
  int free = 0;
  while (!atomic_compare_exchange_strong(&held, &free, 1))
    free = 0;
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
