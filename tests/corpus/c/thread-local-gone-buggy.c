// A variable of a thread that has ended is gone.
//
// memory: UNSAFE
#include <pthread.h>
#include <stdatomic.h>
int *p;
atomic_int ready;
void *f(void *argument) {
  int x = 1;
  p = &x;
  ready = 1;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  int y = ready ? *p : 0;
  pthread_join(t, 0);
  return y;
}
