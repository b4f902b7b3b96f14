// What `next` does has been done when its result is compared, and has not when the statement begins.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int given;

int next(void) {
  given = given + 1;
  return given;
}

void *ask(void *unused) {
  pthread_mutex_lock(&m);
  if (next() == given)
    given = given - 1;
  assert(given == 0);
  pthread_mutex_unlock(&m);
  return 0;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, ask, 0);
  ask(0);
  return 0;
}
