// Threads are joined if they have been created; then main has what they share for itself. The function that creates
// them is called by a pointer.
// races: SAFE
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

struct data {
  pthread_mutex_t lock;
  int value;
};

struct data data;
pthread_t first, second;

void *work(void *argument) {
  struct data *shared = argument;
  pthread_mutex_lock(&shared->lock);
  shared->value++;
  pthread_mutex_unlock(&shared->lock);
  return 0;
}

static int begin(struct data *shared) {
  pthread_mutex_init(&shared->lock, 0);
  if (__VERIFIER_nondet_int()) return -1;
  pthread_create(&first, 0, work, shared);
  pthread_create(&second, 0, work, shared);
  return 0;
}

int (*beginning)(struct data *) = begin;

int main(void) {
  int failed = beginning(&data);
  if (failed == 0) {
    pthread_join(first, 0);
    pthread_join(second, 0);
  }
  data.value = 0;
  return 0;
}
