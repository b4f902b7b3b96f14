// `hits = hits + 1` is a load and a store, each atomic: an update may be lost, without a data race.
// assertions: UNSAFE
// races: SAFE
#include <assert.h>
#include <pthread.h>

_Atomic unsigned hits;

void *visit(void *unused) {
  hits = hits + 1;
  return 0;
}

int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], 0, visit, 0);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], 0);
  assert(hits == 3);
  return 0;
}
