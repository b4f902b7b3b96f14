// A detached thread may run at once.
//
// assertions: UNSAFE
#include <pthread.h>
#include <assert.h>
int x;
void *f(void *p) {
  pthread_detach(pthread_self());
  x++;
  return 0;
}

int main(void) {
  pthread_attr_t a;
  pthread_attr_init(&a);
  pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
  pthread_t t;
  pthread_create(&t, &a, f, 0);
  assert(x == 0);
  return 0;
}
