// Two threads look at all elements of an array as long as an input says, and find as many that are positive.
//
// assertions: SAFE
// memory: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int *a, n;
int found, found_again;
void *look(void *unused) {
  for (int i = 0; i < n; i++)
    if (a[i] > 0) found++;
  return 0;
}
void *look_again(void *unused) {
  for (int i = 0; i < n; i++)
    if (a[i] > 0) found_again++;
  return 0;
}
int main(void) {
  pthread_t one, two;
  n = __VERIFIER_nondet_int();
  if (n < 0) return 0;
  a = calloc(n, sizeof(int));
  for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
  pthread_create(&one, 0, look, 0);
  pthread_create(&two, 0, look_again, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(found == found_again);
  return 0;
}
