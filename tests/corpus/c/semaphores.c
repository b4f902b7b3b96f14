// Two semaphores around one slot.
//
// assertions: SAFE
// races: SAFE
// deadlock: SAFE
#include <pthread.h>
#include <semaphore.h>
#include <assert.h>
sem_t s, e;
int slot;
void *f(void *p) {
  for (int i = 1; i <= 3; i++) {
    sem_wait(&e);
    slot = i;
    sem_post(&s);
  }
  return 0;
}

int main(void) {
  sem_init(&s,0,0);
  sem_init(&e,0,1);
  pthread_t t;
  pthread_create(&t,0,f,0);
  int sum = 0;
  for (int i = 1; i <= 3; i++) {
    sem_wait(&s);
    sum += slot;
    sem_post(&e);
  }
  assert(sum == 6);
  int v;
  sem_getvalue(&e, &v);
  assert(v == 1);
  pthread_join(t,0);
  sem_destroy(&s);
  return 0;
}
