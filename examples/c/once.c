// A table that whoever comes first fills, by pthread_once.
// assertions: SAFE
// races: SAFE
#include <assert.h>
#include <pthread.h>

int table;
pthread_once_t filled = PTHREAD_ONCE_INIT;

void fill(void) {
  table = table + 42;
}

void *user(void *unused) {
  pthread_once(&filled, fill);
  assert(table == 42);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, user, 0);
  pthread_create(&b, 0, user, 0);
  return 0;
}
