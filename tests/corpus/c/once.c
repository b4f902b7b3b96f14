// What is done once.
//
// assertions: SAFE
// races: SAFE
#include <pthread.h>
#include <assert.h>
pthread_once_t o = PTHREAD_ONCE_INIT;
int n, *p;
static int v;
void init(void) {
  n++;
  v = 9;
  p = &v;
}

void *f(void *a) {
  pthread_once(&o, init);
  assert(n == 1 && *p == 9);
  return 0;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s,0,f,0);
  pthread_create(&t,0,f,0);
  pthread_join(s,0);
  pthread_join(t,0);
  return 0;
}
