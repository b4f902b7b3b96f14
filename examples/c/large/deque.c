// Work stealing: each worker has a deque of tasks, takes from its own end, and steals from the other end of somebody else's when it
// has none. After Chase and Lev, Dynamic circular work-stealing deque, SPAA 2005, with arrays that do not grow.
//
// The owner pushes and pops at the bottom; thieves take at the top with a compare-and-exchange, and so does the owner where only one task is
// left. A task is taken once. Tasks split: one that is large makes two smaller ones, which go to the deque of whoever runs it.
//
// races: SAFE
// assertions: SAFE
// memory: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define SIZE 8
#define WORKERS 2
#define NOTHING (-1)
#define ABORTED (-2)

struct deque {
  atomic_int top;
  atomic_int bottom;
  atomic_int tasks[SIZE];
};

struct worker {
  int number;
  unsigned executed;
  unsigned stolen;
  unsigned failed;
  struct deque deque;
  pthread_t thread;
};

static struct worker workers[WORKERS];

// How many tasks are still to be done, and what was done so far.
static atomic_int outstanding;
static atomic_int done;

// Deques.

static void deque_init(struct deque *deque) {
  atomic_init(&deque->top, 0);
  atomic_init(&deque->bottom, 0);
}

// False if there is no room.
static bool deque_push(struct deque *deque, int task) {
  int bottom = atomic_load(&deque->bottom);
  int top = atomic_load(&deque->top);
  if (bottom - top >= SIZE)
    return false;
  atomic_store(&deque->tasks[bottom % SIZE], task);
  atomic_store(&deque->bottom, bottom + 1);
  return true;
}

static int deque_pop(struct deque *deque) {
  int bottom = atomic_load(&deque->bottom) - 1;
  atomic_store(&deque->bottom, bottom);
  int top = atomic_load(&deque->top);
  if (top > bottom) {
    // It was empty.
    atomic_store(&deque->bottom, bottom + 1);
    return NOTHING;
  }
  int task = atomic_load(&deque->tasks[bottom % SIZE]);
  if (top == bottom) {
    // The last one: thieves may want it, too.
    if (!atomic_compare_exchange_strong(&deque->top, &top, top + 1))
      task = NOTHING;
    atomic_store(&deque->bottom, bottom + 1);
  }
  return task;
}

static int deque_steal(struct deque *deque) {
  int top = atomic_load(&deque->top);
  int bottom = atomic_load(&deque->bottom);
  if (top >= bottom)
    return NOTHING;
  int task = atomic_load(&deque->tasks[top % SIZE]);
  if (!atomic_compare_exchange_strong(&deque->top, &top, top + 1))
    return ABORTED;
  return task;
}

static int deque_length(struct deque *deque) {
  int length = atomic_load(&deque->bottom) - atomic_load(&deque->top);
  return length < 0 ? 0 : length;
}

// Tasks: numbers, which say how much there is to do.

static void execute(struct worker *me, int task);

static void submit(struct worker *me, int task) {
  atomic_fetch_add(&outstanding, 1);
  if (!deque_push(&me->deque, task)) {
    // There is no room: it is done at once.
    execute(me, task);
  }
}

static void work_on(int amount) {
  atomic_fetch_add(&done, amount);
}

static void execute(struct worker *me, int task) {
  me->executed++;
  if (task > 1) {
    // The halves are tasks of their own.
    int half = task / 2;
    atomic_fetch_add(&outstanding, 1);
    if (!deque_push(&me->deque, half)) {
      work_on(half);
      atomic_fetch_sub(&outstanding, 1);
    }
    work_on(task - half);
  } else {
    work_on(task);
  }
  atomic_fetch_sub(&outstanding, 1);
}

// Looks for a task of somebody else's.
static int steal_somewhere(struct worker *me) {
  for (int step = 1; step < WORKERS; step++) {
    struct worker *victim = &workers[(me->number + step) % WORKERS];
    int task = deque_steal(&victim->deque);
    if (task == ABORTED) {
      me->failed++;
      continue;
    }
    if (task != NOTHING) {
      me->stolen++;
      return task;
    }
  }
  return NOTHING;
}

static int next_task(struct worker *me) {
  int task = deque_pop(&me->deque);
  return task != NOTHING ? task : steal_somewhere(me);
}

static void *run(void *argument) {
  struct worker *me = argument;
  while (atomic_load(&outstanding) > 0) {
    int task = next_task(me);
    if (task != NOTHING)
      execute(me, task);
  }
  return 0;
}

static void workers_init(void) {
  for (int i = 0; i < WORKERS; i++) {
    workers[i].number = i;
    deque_init(&workers[i].deque);
  }
}

static void workers_run(void) {
  for (int i = 1; i < WORKERS; i++)
    pthread_create(&workers[i].thread, 0, run, &workers[i]);
  run(&workers[0]);
  for (int i = 1; i < WORKERS; i++)
    pthread_join(workers[i].thread, 0);
}

static unsigned all_executed(void) {
  unsigned all = 0;
  for (int i = 0; i < WORKERS; i++)
    all += workers[i].executed;
  return all;
}

int main(void) {
  workers_init();
  submit(&workers[0], 2);
  workers_run();
  assert(done == 2);
  assert(outstanding == 0);
  assert(all_executed() == 2);
  assert(deque_length(&workers[0].deque) == 0);
  return 0;
}
