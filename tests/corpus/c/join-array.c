// Handles and results in an array of structs on the heap.
//
// assertions: SAFE
// races: SAFE
// memory: SAFE
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
#define N 4
typedef struct { pthread_t t; int id; int out; } w_t;
static void *run(void *a) {
  w_t *w = a;
  w->out = w->id * w->id;
  return NULL;
}

int main(void) {
  w_t *w = calloc(N, sizeof(w_t));
  for (int i = 0; i < N; i++) {
    w[i].id = i;
    if (pthread_create(&w[i].t, NULL, run, &w[i])) abort();
  }
  int s = 0;
  for (int i = 0; i < N; i++) {
    pthread_join(w[i].t, NULL);
    s += w[i].out;
  }
  assert(s == 14);
  free(w);
  return 0;
}
