// The number of a thread is printed, and nobody cares which it is.
//
// assertions: SAFE
#include <pthread.h>
#include <stdio.h>
#include <assert.h>
void *f(void *p) {
  printf("%lu\n", (unsigned long)pthread_self());
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  assert(!pthread_equal(t, pthread_self()));
  pthread_join(t, 0);
  return 0;
}
