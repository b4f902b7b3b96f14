// A thread-local variable is one of each thread; its address can be given to others, and then it is shared.
// assertions: SAFE
// races: SAFE
#include <assert.h>
#include <pthread.h>

_Thread_local int own = 3;
__thread int counted;

void *worker(void *theirs) {
  assert(own == 3 && counted == 0);
  own = 4;
  counted++;
  *(int *)theirs = 7;
  return 0;
}

int main(void) {
  pthread_t a;
  own = 1;
  counted = 5;
  pthread_create(&a, 0, worker, &own);
  pthread_join(a, 0);
  assert(own == 7 && counted == 5);
  return 0;
}
