// The object is the thread's own, but whoever created it still knows it.
//
// races: UNSAFE
#include <pthread.h>
#include <stdlib.h>
struct job { int result; };
struct job *last;

void *worker(void *argument) {
  struct job *job = argument;
  job->result = 1;
  return 0;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    struct job *job = malloc(sizeof(struct job));
    if (!job) return 0;
    pthread_t t;
    pthread_create(&t, 0, worker, job);
    last = job;
  }
  last->result = 2;
  return 0;
}
