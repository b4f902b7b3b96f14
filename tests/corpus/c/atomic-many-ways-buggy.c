// As atomic-many-ways.c, but nobody counts the first input where it is as large as the limit.
//
// assertions: UNSAFE
#include <pthread.h>
#include <assert.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
int a, b, c, d, e, f, limit;
int up, down;

void *above(void *unused) {
  __VERIFIER_atomic_begin();
  if (a > limit) up++;
  if (b > limit) up++;
  if (c > limit) up++;
  if (d > limit) up++;
  if (e > limit) up++;
  if (f > limit) up++;
  __VERIFIER_atomic_end();
  return 0;
}

void *others(void *unused) {
  __VERIFIER_atomic_begin();
  if (a < limit) down++;
  if (b <= limit) down++;
  if (c <= limit) down++;
  if (d <= limit) down++;
  if (e <= limit) down++;
  if (f <= limit) down++;
  __VERIFIER_atomic_end();
  return 0;
}

int main(void) {
  pthread_t s, t;
  a = __VERIFIER_nondet_int();
  b = __VERIFIER_nondet_int();
  c = __VERIFIER_nondet_int();
  d = __VERIFIER_nondet_int();
  e = __VERIFIER_nondet_int();
  f = __VERIFIER_nondet_int();
  limit = __VERIFIER_nondet_int();
  pthread_create(&s, 0, above, 0);
  pthread_create(&t, 0, others, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(up + down == 6);
  return 0;
}
