// A thread creates its own kind.
//
// assertions: UNSAFE
#include <pthread.h>
#include <assert.h>
int n;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *p) {
  pthread_mutex_lock(&m);
  int k = ++n;
  pthread_mutex_unlock(&m);
  if (k < 3) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
  }
  assert(k < 3);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t,0,f,0);
  pthread_exit(0);
}
