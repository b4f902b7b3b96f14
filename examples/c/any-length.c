// Two threads sum up the halves of an array of which nobody knows the length; it is written before they begin.
// races: SAFE
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int *values;
int length, lower, upper;

void *sum_lower(void *unused) {
  for (int i = 0; i < length / 2; i++) lower += values[i];
  return 0;
}

void *sum_upper(void *unused) {
  for (int i = length / 2; i < length; i++) upper += values[i];
  return 0;
}

int main(void) {
  length = __VERIFIER_nondet_int();
  if (length < 1 || length > 1000000) return 0;
  values = malloc(sizeof(int) * length);
  for (int i = 0; i < length; i++) values[i] = __VERIFIER_nondet_int();
  pthread_t a, b;
  pthread_create(&a, 0, sum_lower, 0);
  pthread_create(&b, 0, sum_upper, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  values[0] = lower + upper;
  return 0;
}
