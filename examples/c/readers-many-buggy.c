// Any number of threads take a lock for reading, and some of them write.
// races: UNSAFE
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int shared;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *read_it(void *unused) {
  pthread_rwlock_rdlock(&lock);
  int seen = shared;
  pthread_rwlock_unlock(&lock);
  return seen > 0 ? &lock : 0;
}

void *write_it(void *unused) {
  pthread_rwlock_rdlock(&lock);
  shared++;
  pthread_rwlock_unlock(&lock);
  return 0;
}

int main(void) {
  while (__VERIFIER_nondet_int()) {
    pthread_t reader, writer;
    pthread_create(&reader, 0, read_it, 0);
    pthread_create(&writer, 0, write_it, 0);
  }
  return 0;
}
