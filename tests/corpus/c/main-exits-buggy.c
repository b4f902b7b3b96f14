// main ends as a thread, and the others go on.
//
// assertions: UNSAFE
#include <pthread.h>
#include <assert.h>
int x;
void *f(void *a) {
  x = 1;
  assert(x == 0);
  return 0;
}

int main(void) {
  pthread_t s;
  pthread_create(&s,0,f,0);
  pthread_exit(0);
}
