// The Bluetooth driver, fixed, with two workers.
// After Qadeer and Wu, KISS, PLDI 2004, section 6; row Bluetooth3-fixed of THREADER, table 1.
// assertions: SAFE
// races: SAFE
// memory: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct extension {
  atomic_int pending_io;
  atomic_bool stopping_flag;
  atomic_bool stopping_event;
};

struct extension device = {1, false, false};
atomic_bool stopped;

static void io_decrement(struct extension *e) {
  if (atomic_fetch_sub(&e->pending_io, 1) == 1)
    atomic_store(&e->stopping_event, true);
}

static int io_increment(struct extension *e) {
  atomic_fetch_add(&e->pending_io, 1);
  if (atomic_load(&e->stopping_flag))
    return -1;
  return 0;
}

void *add(void *argument) {
  struct extension *e = argument;
  if (io_increment(e) == 0)
    assert(!atomic_load(&stopped));
  io_decrement(e);
  return 0;
}

void *stop(void *argument) {
  struct extension *e = argument;
  atomic_store(&e->stopping_flag, true);
  io_decrement(e);
  while (!atomic_load(&e->stopping_event))
    ;
  atomic_store(&stopped, true);
  return 0;
}

int main(void) {
  pthread_t stopper, worker[2];
  pthread_create(&stopper, 0, stop, &device);
  for (int i = 0; i < 2; i++)
    pthread_create(&worker[i], 0, add, &device);
  pthread_join(stopper, 0);
  for (int i = 0; i < 2; i++)
    pthread_join(worker[i], 0);
  return 0;
}
