// Readers see both halves of a pair, or none.
// assertions: SAFE
// races: SAFE
// locks: SAFE
#include <assert.h>
#include <pthread.h>

int low, high;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *writer(void *unused) {
  pthread_rwlock_wrlock(&lock);
  low = 1;
  high = 1;
  pthread_rwlock_unlock(&lock);
  return 0;
}

void *reader(void *unused) {
  pthread_rwlock_rdlock(&lock);
  assert(low == high);
  pthread_rwlock_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t w, r, s;
  pthread_create(&w, 0, writer, 0);
  pthread_create(&r, 0, reader, 0);
  pthread_create(&s, 0, reader, 0);
  return 0;
}
