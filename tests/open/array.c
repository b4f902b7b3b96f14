// Each element of an array of any length is set before it is read.
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
unsigned n;
int *all;
void *fill(void *unused) { for (unsigned i = 0; i < n; i++) all[i] = 1; return 0; }
int main(void) {
  pthread_t t;
  n = __VERIFIER_nondet_uint();
  if (n > 1000) return 0;
  all = calloc(n, sizeof(int));
  if (!all) return 0;
  pthread_create(&t, 0, fill, 0);
  pthread_join(t, 0);
  for (unsigned i = 0; i < n; i++) assert(all[i] == 1);
  return 0;
}
