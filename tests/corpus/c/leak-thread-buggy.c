// A thread ends without freeing what it has; another one frees it before.
//
// memtrack: UNSAFE
#include <pthread.h>
#include <stdlib.h>
void *f(void *given) {
  int *p = malloc(sizeof *p);
  if (given)
    free(p);
  return 0;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, f, &s);
  pthread_create(&t, 0, f, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  return 0;
}
