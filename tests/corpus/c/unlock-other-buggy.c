// A mutex is given back by another thread than its holder.
//
// locks: UNSAFE
// assertions: SAFE
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *f(void *p) {
  pthread_mutex_unlock(&m);
  x = 1;
  return 0;
}

int main(void) {
  pthread_mutex_lock(&m);
  pthread_t t;
  pthread_create(&t,0,f,0);
  pthread_join(t,0);
  return 0;
}
