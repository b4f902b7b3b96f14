// volatile is not atomic.
//
// assertions: UNSAFE
// races: UNSAFE
#include <pthread.h>
#include <assert.h>
volatile int turn;
void *f(void *p) {
  turn = 1;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t,0,f,0);
  int a = turn;
  int b = turn;
  assert(a == b);
  pthread_join(t,0);
  return 0;
}
