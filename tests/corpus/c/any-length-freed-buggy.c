// An array as long as an input says is read by another thread, which may come too late.
//
// memory: UNSAFE
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int *a;
void *reads(void *unused) {
  return a[0] == 0 ? 0 : a;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1) return 0;
  a = calloc(n, sizeof(int));
  pthread_t reader;
  pthread_create(&reader, 0, reads, 0);
  free(a);
  pthread_join(reader, 0);
  return 0;
}
