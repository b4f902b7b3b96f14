// Each thread has a value of its own under the same key; its destructor runs when a thread ends.
// assertions: SAFE
// races: SAFE
// memory: SAFE
// locks: SAFE
// deadlock: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

pthread_key_t key;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ended;

void destroy(void *value) {
  // The value is null by now, so that this is called once.
  assert(pthread_getspecific(key) == 0);
  assert(*(int *)value == 5);
  free(value);
  pthread_mutex_lock(&lock);
  ended++;
  pthread_mutex_unlock(&lock);
}

void set(int value) {
  int *own = pthread_getspecific(key);
  *own = value;
}

void *worker(void *unused) {
  assert(pthread_getspecific(key) == 0);
  pthread_setspecific(key, malloc(sizeof(int)));
  set(5);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_key_create(&key, destroy);
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(ended == 2);
  return 0;
}
