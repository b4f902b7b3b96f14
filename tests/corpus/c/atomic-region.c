// A region that may end the process.
//
// assertions: SAFE
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void abort(void);
int x, y;
void *f(void *p) {
  __VERIFIER_atomic_begin();
  x++;
  if (x == 5) abort();
  y++;
  __VERIFIER_atomic_end();
  return 0;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s,0,f,0);
  pthread_create(&t,0,f,0);
  __VERIFIER_atomic_begin();
  assert(x == y);
  __VERIFIER_atomic_end();
  return 0;
}
