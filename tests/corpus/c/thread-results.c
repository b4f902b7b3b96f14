// What threads return.
//
// assertions: SAFE
// memory: SAFE
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct arg { int in; int out; };
void *f(void *p) {
  struct arg *a = p;
  a->out = a->in * 2;
  return a;
}

void *g(void *p) {
  return (void *)((long)p + 1);
}

int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) {
    struct arg *a = malloc(sizeof *a);
    a->in = i;
    pthread_create(&t[i],0,f,a);
  }
  int s = 0;
  for (int i = 0; i < 3; i++) {
    void *r;
    pthread_join(t[i], &r);
    s += ((struct arg *)r)->out;
    free(r);
  }
  assert(s == 6);
  pthread_t u;
  void *r;
  pthread_create(&u, 0, g, (void *)41L);
  pthread_join(u, &r);
  assert((long)r == 42);
  return 0;
}
