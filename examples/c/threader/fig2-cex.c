// A thread that uses what its creator has not stored yet.
// After Lu, Park, Seo and Zhou, ASPLOS 2008, figure 2 (Mozilla); row Fig2-cex of THREADER, table 1.
//
// The bug: the new thread runs before `pthread_create` has returned and the handle is published.
// assertions: UNSAFE
// races: UNSAFE
// memory: SAFE
#include <assert.h>
#include <pthread.h>

struct thread {
  int state;
  int handle;
};

struct thread created;

void *run(void *unused) {
  assert(created.handle != 0);
  created.state = 1;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  created.handle = 7;
  pthread_join(t, 0);
  return 0;
}
