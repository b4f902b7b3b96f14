// Ten thousand threads are created. Main looks at the counter without the lock, while one of them may be at work: with a single one that
// runs it is seen, and the others need not run.
// assertions: UNSAFE
// native: threads that are created and never run are not kept back in compiled programs
#include <assert.h>
#include <pthread.h>

enum { MANY = 10000 };

int visitors;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *visit(void *unused) {
  pthread_mutex_lock(&lock);
  visitors++;
  visitors--;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t threads[MANY];
  for (int i = 0; i < MANY; i++)
    pthread_create(&threads[i], 0, visit, 0);
  assert(visitors == 0);
  for (int i = 0; i < MANY; i++)
    pthread_join(threads[i], 0);
  return 0;
}
