// A semaphore that lets one thread through at a time.
// assertions: SAFE
// races: SAFE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t gate;
int inside;

void *visitor(void *unused) {
  sem_wait(&gate);
  inside++;
  assert(inside == 1);
  inside--;
  sem_post(&gate);
  return 0;
}

int main(void) {
  pthread_t a, b;
  sem_init(&gate, 0, 1);
  pthread_create(&a, 0, visitor, 0);
  pthread_create(&b, 0, visitor, 0);
  return 0;
}
