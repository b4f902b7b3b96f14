// The function waits for the thread that uses its variables, called by several.
//
// memory: SAFE
// assertions: SAFE
#include <pthread.h>
#include <assert.h>
pthread_t t;
void *f(void *p) {
  (*(int *)p)++;
  return 0;
}

int run(int v) {
  int x = v;
  pthread_create(&t, 0, f, &x);
  pthread_join(t, 0);
  return x;
}

int main(void) {
  assert(run(1) == 2);
  assert(run(5) == 6);
  return 0;
}
