// Each thread allocates, uses and frees memory of its own; what one has freed another may get.
// assertions: SAFE
// races: SAFE
// memory: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void *worker(void *unused) {
  int *own = calloc(2, sizeof(int));
  assert(own[0] == 0 && own[1] == 0);
  own[1] = 1;
  assert(own[1] == 1);
  free(own);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
