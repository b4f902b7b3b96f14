// Everything is freed, or a global variable points to it.
//
// memtrack: SAFE
// memory: SAFE
#include <alloca.h>
#include <pthread.h>
#include <stdlib.h>
int *global, *table[2];
void *f(void *given) {
  int *p = given;
  free(p);
  return 0;
}

int main(void) {
  pthread_t t;
  int *own = alloca(4);
  *own = 1;
  global = malloc(2 * sizeof *global);
  table[1] = malloc(sizeof(int));
  global++;
  pthread_create(&t, 0, f, malloc(sizeof(int)));
  pthread_join(t, 0);
  return 0;
}
