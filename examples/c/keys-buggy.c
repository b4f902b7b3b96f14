// The thread gives what is under its key to another one and then ends: the destructor frees it while the other reads it.
// memory: UNSAFE
// native: keys are not followed in compiled programs
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

tss_t key;
_Atomic(int *) given;

void destroy(void *value) { free(value); }

int worker(void *unused) {
  int *own = malloc(sizeof(int));
  *own = 1;
  tss_set(key, own);
  given = tss_get(key);
  return 0;
}

int main(void) {
  thrd_t a;
  tss_create(&key, destroy);
  thrd_create(&a, worker, 0);
  int *seen = given;
  if (seen != 0)
    *seen = 2;
  thrd_join(a, 0);
  return 0;
}
