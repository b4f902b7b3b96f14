// Nothing is accessed by addresses: no invalid access, whatever the values, which are too many to list.
//
// memory: SAFE
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int a, b, c;

void *worker(void *argument) {
  for (;;) {
    a = a + __VERIFIER_nondet_int();
    b = a * b;
    c = c ^ b;
  }
}

int main(void) {
  pthread_t t;
  while (__VERIFIER_nondet_int())
    pthread_create(&t, 0, worker, 0);
  return a;
}
