// Operators that load shared variables one after the other.
//
// assertions: UNSAFE
// races: UNSAFE
#include <pthread.h>
#include <assert.h>
int x, y;
void *f(void *p) {
  x = 1;
  y = x && y;
  int z = x ? y : x;
  assert(z == 0 || x != 0);
  x = 0;
  y = 1;
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
