// Two threads count to the same number, which is not known.
#include <pthread.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int n, left, right;
void *a(void *unused) { for (int i = 0; i < n; i++) left = left + i; return 0; }
void *b(void *unused) { for (int i = 0; i < n; i++) right = right + i; return 0; }
int main(void) {
  pthread_t s, t;
  n = __VERIFIER_nondet_int();
  if (n > 1000) return 0;
  pthread_create(&s, 0, a, 0);
  pthread_create(&t, 0, b, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(left == right);
  return 0;
}
