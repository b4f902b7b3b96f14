// An error inside of an atomic function, before the process ends.
//
// assertions: UNSAFE
extern void reach_error(void);
extern void abort(void);
#include <pthread.h>
int x;
void __VERIFIER_atomic_f(void) {
  x++;
  if (x == 2) {
    reach_error();
    abort();
  }
}

void *f(void *p) {
  __VERIFIER_atomic_f();
  return 0;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s,0,f,0);
  pthread_create(&t,0,f,0);
  return 0;
}
