// The ways through a region are many, but it may not be taken apart: another thread looks at what it works with. It must see all of
// it or nothing; but all of it is seen.
//
// assertions: UNSAFE
#include <pthread.h>
#include <assert.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern _Bool __VERIFIER_nondet_bool(void);
_Bool a, b, c, d, e, f;
int up, down;

void *count(void *unused) {
  __VERIFIER_atomic_begin();
  if (a) up++; else down--;
  if (b) up++; else down--;
  if (c) up++; else down--;
  if (d) up++; else down--;
  if (e) up++; else down--;
  if (f) up++; else down--;
  __VERIFIER_atomic_end();
  return 0;
}

int main(void) {
  pthread_t t;
  int seen;
  a = __VERIFIER_nondet_bool();
  b = __VERIFIER_nondet_bool();
  c = __VERIFIER_nondet_bool();
  d = __VERIFIER_nondet_bool();
  e = __VERIFIER_nondet_bool();
  f = __VERIFIER_nondet_bool();
  pthread_create(&t, 0, count, 0);
  __VERIFIER_atomic_begin();
  seen = up - down;
  __VERIFIER_atomic_end();
  assert(seen != 6);
  return 0;
}
