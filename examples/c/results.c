// Threads that are given structs on the heap, and give back what they made of them.
// assertions: SAFE
// races: SAFE
// memory: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct job {
  int from, to, sum;
};

void *run(void *arg) {
  struct job *job = arg;
  for (int i = job->from; i < job->to; i++)
    job->sum += i;
  return job;
}

struct job *new_job(int from, int to) {
  struct job *job = malloc(sizeof *job);
  job->from = from;
  job->to = to;
  job->sum = 0;
  return job;
}

int main(void) {
  pthread_t a, b;
  void *x, *y;
  pthread_create(&a, 0, run, new_job(0, 3));
  pthread_create(&b, 0, run, new_job(3, 5));
  pthread_join(a, &x);
  pthread_join(b, &y);
  assert(((struct job *)x)->sum + ((struct job *)y)->sum == 10);
  return 0;
}
