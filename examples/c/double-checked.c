// Double-checked initialisation with a plain flag: the test outside of the lock races with the store inside.
// assertions: SAFE
// races: UNSAFE
#include <assert.h>
#include <pthread.h>

int ready, table;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *user(void *unused) {
  if (!ready) {
    pthread_mutex_lock(&lock);
    if (!ready) {
      table = 42;
      ready = 1;
    }
    pthread_mutex_unlock(&lock);
  }
  assert(table == 42);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, user, 0);
  pthread_create(&b, 0, user, 0);
  return 0;
}
