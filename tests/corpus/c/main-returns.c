// main returns, and with it everything ends.
//
// assertions: SAFE
#include <pthread.h>
#include <assert.h>
int done;
void *f(void *a) {
  while (!__atomic_load_n(&done, __ATOMIC_SEQ_CST));
  assert(!done);
  return 0;
}

int main(void) {
  pthread_t s;
  pthread_create(&s,0,f,0);
  return 0;
}
