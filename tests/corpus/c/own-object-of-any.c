// Any number of threads, each with an object of its own, which it frees.
//
// races: SAFE
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct job { int from; int result; };

void *worker(void *argument) {
  struct job *job = argument;
  job->result = job->from + 1;
  free(job);
  return 0;
}

int main(void) {
  while (__VERIFIER_nondet_int()) {
    struct job *job = malloc(sizeof(struct job));
    if (!job) return 0;
    job->from = __VERIFIER_nondet_int();
    pthread_t t;
    pthread_create(&t, 0, worker, job);
  }
  return 0;
}
