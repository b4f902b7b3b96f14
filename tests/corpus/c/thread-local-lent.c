// What is thread-local may be used by others as long as its thread runs, and by name in destructors and at the very end.
//
// memory: SAFE
// races: SAFE
#include <pthread.h>
__thread int own = 3;

void *worker(void *argument) {
  int *lent = argument;
  *lent = *lent + 1;
  own = 0;
  return 0;
}

void *owner(void *argument) {
  pthread_t t;
  pthread_create(&t, 0, worker, &own);
  pthread_join(t, 0);
  return own == 4 ? &own : 0;
}

int main(void) {
  pthread_t t;
  void *result;
  pthread_create(&t, 0, owner, 0);
  pthread_join(t, &result);
  return result == 0;
}
