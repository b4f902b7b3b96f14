// A thread function that takes an integer, by a conversion of its type.
//
// assertions: SAFE
#include <pthread.h>
#include <assert.h>
int seen[3];
void *f(int i) {
  assert(i == 1 || i == 2);
  seen[i] = 1;
  return 0;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, (void *(*)(void *))f, (void *)1L);
  pthread_create(&t, 0, (void *(*)(void *))f, (void *)2L);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(seen[1] && seen[2] && !seen[0]);
  return 0;
}
