// The usual loop around sem_wait.
//
// assertions: SAFE
#include <semaphore.h>
#include <errno.h>
#include <assert.h>
#include <pthread.h>
sem_t s;
int x;
void *f(void *p) {
  x = 1;
  sem_post(&s);
  return 0;
}

int main(void) {
  sem_init(&s, 0, 0);
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  while (sem_wait(&s) == -1 && errno == EINTR) continue;
  assert(x == 1);
  return 0;
}
