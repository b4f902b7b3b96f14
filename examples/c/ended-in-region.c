// The process ends in the middle of an atomic region: nobody sees what the region did before.
// assertions: SAFE
// deadlock: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x;

void *worker(void *unused) {
  __VERIFIER_atomic_begin();
  x = 1;
  if (x == 1)
    abort();
  __VERIFIER_atomic_end();
  return 0;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, worker, 0);
  assert(x == 0);
  pthread_join(a, 0);
  assert(0);
  return 0;
}
