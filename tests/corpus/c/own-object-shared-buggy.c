// Two threads get the same object.
//
// races: UNSAFE
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct job { int result; };

void *worker(void *argument) {
  struct job *job = argument;
  job->result = 1;
  return 0;
}

int main(void) {
  while (__VERIFIER_nondet_int()) {
    struct job *job = malloc(sizeof(struct job));
    if (!job) return 0;
    pthread_t t, u;
    pthread_create(&t, 0, worker, job);
    pthread_create(&u, 0, worker, job);
  }
  return 0;
}
