// Both threads load before either of them stores.
#include <assert.h>
#include <pthread.h>

int hits;

void *hit(void *unused) {
  hits = hits + 1;
  return 0;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, hit, 0);
  hit(0);
  pthread_join(other, 0);
  assert(hits == 2);
  return 0;
}
