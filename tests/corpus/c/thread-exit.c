// A thread ends in the middle of a function.
//
// assertions: SAFE
// memory: SAFE
#include <pthread.h>
#include <assert.h>
int x;
void deep(int n) {
  if (n == 0) pthread_exit((void *)5);
  deep(n - 1);
  x = 99;
}

void *f(void *a) {
  deep(2);
  x = 1;
  return 0;
}

int main(void) {
  pthread_t s;
  void *r;
  pthread_create(&s,0,f,0);
  pthread_join(s,&r);
  assert(r == (void *)5);
  assert(x == 0);
  return 0;
}
