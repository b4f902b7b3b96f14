// Any number of threads, each with an element of its own: by its index, or by the element's address, which the loop that
// creates them has written before. All of it is read when they have been joined.
//
// races: SAFE
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct job { int from; int result; };
int *squares;

void *by_index(void *argument) {
  int i = (int)(long)argument;
  squares[i] = i;
  squares[i] = squares[i] + 1;
  return 0;
}

void *by_address(void *argument) {
  struct job *job = argument;
  job->result = job->from + 1;
  return 0;
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1) return 0;
  pthread_t *handles = malloc(n * sizeof(pthread_t));
  pthread_t *others = malloc(n * sizeof(pthread_t));
  struct job *jobs = malloc(n * sizeof(struct job));
  squares = malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) {
    squares[i] = 0;
    pthread_create(&handles[i], 0, by_index, (void *)(long)i);
  }
  for (int i = 0; i < n; i++) {
    jobs[i].from = i;
    pthread_create(&others[i], 0, by_address, &jobs[i]);
  }
  for (int i = 0; i < n; i++)
    pthread_join(handles[i], 0);
  for (int i = 0; i < n; i++)
    pthread_join(others[i], 0);
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum = squares[i] == jobs[i].result;
  return sum;
}
