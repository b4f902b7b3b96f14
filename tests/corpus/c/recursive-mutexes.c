// Recursive mutexes in arrays and structs, by their initialisers.
//
// assertions: SAFE
// locks: SAFE
#define _GNU_SOURCE
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m[2] = { PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };
struct s { int x; pthread_mutex_t l; } g = { 1, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };
int main(void) {
  int x = 0;
  pthread_mutex_lock(&m[1]);
  pthread_mutex_lock(&m[1]);
  x++;
  pthread_mutex_unlock(&m[1]);
  pthread_mutex_unlock(&m[1]);
  pthread_mutex_lock(&g.l);
  pthread_mutex_lock(&g.l);
  assert(x == 1);
  return 0;
}
