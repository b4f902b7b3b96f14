// The battery driver: one thread unloads it while work items may be running.
// After Figure 6 in section 4.2 of the paper on abstract threads (ABSTHR in the README).
//
// Counters are changed by interlocked operations. A dispatch routine counts itself in `worker_active` and queues a worker when it was
// idle, as the unloading thread does. To bring `in_use` to 0 and to signal `ready_to_remove` is one step, as in the paper. The device
// is on the heap; when it is unloaded it is freed, and no worker may come to it after that.
//
// assertions: SAFE
// memory: SAFE
// races: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

bool __VERIFIER_nondet_bool(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

struct device {
  atomic_int worker_active;
  atomic_int in_use;
  atomic_bool want_to_remove;
};

static struct device *device;
static atomic_bool ready_to_remove, stopped;
static atomic_int queued;

static void drop_use(void) {
  __VERIFIER_atomic_begin();
  assert(!stopped);
  if (atomic_fetch_sub(&device->in_use, 1) == 1)
    ready_to_remove = true;
  __VERIFIER_atomic_end();
}

static bool take_work(void) {
  bool is_there = false;
  __VERIFIER_atomic_begin();
  if (queued > 0) {
    queued--;
    is_there = true;
  }
  __VERIFIER_atomic_end();
  return is_there;
}

static void *worker(void *unused) {
  (void)unused;
  if (!take_work())
    return 0;
  for (;;) {
    if (device->want_to_remove) {
      drop_use();
      return 0;
    }
    if (__VERIFIER_nondet_bool()) {
      atomic_fetch_add(&device->in_use, 1);
      drop_use();
    }
    int active = atomic_fetch_sub(&device->worker_active, 1) - 1;
    if (active == 0)
      return 0;
    if (active != 1)
      device->worker_active = 1;
  }
}

static void *dispatch(void *unused) {
  (void)unused;
  if (atomic_fetch_add(&device->worker_active, 1) == 0)
    queued++;
  return 0;
}

static void unload(void) {
  device->want_to_remove = true;
  if (atomic_fetch_add(&device->worker_active, 1) == 0) {
    if (__VERIFIER_nondet_bool())
      drop_use();
    else
      queued++;
  }
  if (atomic_fetch_sub(&device->in_use, 1) > 1)
    while (!ready_to_remove)
      ;
  stopped = true;
  free(device);
}

int main(void) {
  pthread_t dispatching, working;
  device = malloc(sizeof *device);
  if (!device)
    return 1;
  device->worker_active = 0;
  device->in_use = 2;
  device->want_to_remove = false;
  pthread_create(&dispatching, 0, dispatch, 0);
  pthread_join(dispatching, 0);
  pthread_create(&working, 0, worker, 0);
  unload();
  pthread_join(working, 0);
  return 0;
}
