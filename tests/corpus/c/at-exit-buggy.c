// A thread is still at work when the process ends, and what is checked then may not be true yet.
// assertions: UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int open = 1;

static void check(void) {
  assert(!open);
}

static void *close_it(void *unused) {
  open = 0;
  return 0;
}

int main(void) {
  pthread_t closer;
  atexit(check);
  pthread_create(&closer, 0, close_it, 0);
  exit(0);
}
