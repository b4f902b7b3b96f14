// Two members of a union that share bytes race.
//
// races: UNKNOWN
#include <pthread.h>
union { int i; struct { short a, b; } q; } u;
void *f(void *p) {
  u.q.b = 1;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  u.i = 2;
  pthread_join(t, 0);
  return 0;
}
