// So many threads, each of so many steps, that not all interleavings can be looked at; the order of the sum does not matter.
#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
atomic_int sum;
void *add(void *unused) {
  for (int i = 0; i < 20; i++) {
    int seen = sum;
    while (!atomic_compare_exchange_strong(&sum, &seen, seen + 1))
      ;
  }
  return 0;
}
int main(void) {
  pthread_t t[6];
  for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, add, 0);
  for (int i = 0; i < 6; i++) pthread_join(t[i], 0);
  assert(sum == 120);
  return 0;
}
