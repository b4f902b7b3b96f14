// Two threads each create one more, and these race with each other.
// assertions: UNSAFE
// races: UNSAFE
#include <assert.h>
#include <pthread.h>

int count;

void *leaf(void *unused) {
  count = count + 1;
  return 0;
}

void *node(void *unused) {
  pthread_t t;
  pthread_create(&t, 0, leaf, 0);
  pthread_join(t, 0);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, node, 0);
  pthread_create(&b, 0, node, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(count == 2);
  return 0;
}
