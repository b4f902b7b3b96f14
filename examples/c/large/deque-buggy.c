// Work stealing: each worker has a deque of tasks, takes from its own end, and steals from the other end of somebody else's when it
// has none. After Chase and Lev, Dynamic circular work-stealing deque, SPAA 2005, with arrays that grow.
//
// The owner pushes and pops at the bottom; thieves take at the top. Here they do not look whether somebody else has taken the task
// meanwhile, so that it is taken twice. Where there is no room the owner makes an array twice as large and publishes it; the old one is kept until
// the end, for a thief may still read it. Tasks are of several kinds, each with a function; a range splits into two smaller ones,
// which go to the deque of whoever runs it.
//
// assertions: UNSAFE
// memory: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define FIRST_SIZE 1
#define WORKERS 2
#define KINDS 3
#define NOTHING (-1)
#define ABORTED (-2)

// --- Tasks ---------------------------------------------------------------------------------------------------------------------

// A task is a number: what kind it is of, and from where to where it goes.
enum kind { RANGE, UNIT, NOTE };

#define MOST_INDEX 15

static int task_make(enum kind kind, int from, int to) {
  return (int)kind << 8 | from << 4 | to;
}

static enum kind task_kind(int task) {
  return (enum kind)(task >> 8);
}

static int task_from(int task) {
  return task >> 4 & MOST_INDEX;
}

static int task_to(int task) {
  return task & MOST_INDEX;
}

// --- Deques --------------------------------------------------------------------------------------------------------------------

// A ring. What it has at an index never changes while the index is in use, so that a thief may read an old array.
struct array {
  struct array *older;
  int size;
  atomic_int tasks[];
};

struct deque {
  atomic_int top;
  atomic_int bottom;
  _Atomic(struct array *) array;
};

static struct array *array_new(int size, struct array *older) {
  struct array *array = malloc(sizeof *array + (size_t)size * sizeof array->tasks[0]);
  if (!array)
    abort();
  array->older = older;
  array->size = size;
  for (int i = 0; i < size; i++)
    atomic_init(&array->tasks[i], NOTHING);
  return array;
}

static int array_get(struct array *array, int index) {
  return atomic_load(&array->tasks[index % array->size]);
}

static void array_set(struct array *array, int index, int task) {
  atomic_store(&array->tasks[index % array->size], task);
}

static void deque_init(struct deque *deque) {
  atomic_init(&deque->top, 0);
  atomic_init(&deque->bottom, 0);
  atomic_init(&deque->array, array_new(FIRST_SIZE, NULL));
}

// Nobody has to do with the deque any more.
static unsigned deque_destroy(struct deque *deque) {
  unsigned arrays = 0;
  struct array *array = atomic_load(&deque->array);
  while (array) {
    struct array *older = array->older;
    free(array);
    array = older;
    arrays++;
  }
  return arrays;
}

// An array that is twice as large, with the same tasks.
static struct array *deque_grow(struct deque *deque, int top, int bottom) {
  struct array *old = atomic_load(&deque->array);
  struct array *array = array_new(2 * old->size, old);
  for (int index = top; index < bottom; index++)
    array_set(array, index, array_get(old, index));
  atomic_store(&deque->array, array);
  return array;
}

// By the owner.
static void deque_push(struct deque *deque, int task) {
  int bottom = atomic_load(&deque->bottom);
  int top = atomic_load(&deque->top);
  struct array *array = atomic_load(&deque->array);
  if (bottom - top >= array->size)
    array = deque_grow(deque, top, bottom);
  array_set(array, bottom, task);
  atomic_store(&deque->bottom, bottom + 1);
}

// By the owner.
static int deque_pop(struct deque *deque) {
  int bottom = atomic_load(&deque->bottom) - 1;
  struct array *array = atomic_load(&deque->array);
  atomic_store(&deque->bottom, bottom);
  int top = atomic_load(&deque->top);
  if (top > bottom) {
    // It was empty.
    atomic_store(&deque->bottom, bottom + 1);
    return NOTHING;
  }
  int task = array_get(array, bottom);
  if (top == bottom) {
    // The last one: thieves may want it, too.
    if (!atomic_compare_exchange_strong(&deque->top, &top, top + 1))
      task = NOTHING;
    atomic_store(&deque->bottom, bottom + 1);
  }
  return task;
}

// By anybody else.
static int deque_steal(struct deque *deque) {
  int top = atomic_load(&deque->top);
  int bottom = atomic_load(&deque->bottom);
  if (top >= bottom)
    return NOTHING;
  struct array *array = atomic_load(&deque->array);
  int task = array_get(array, top);
  atomic_store(&deque->top, top + 1);
  return task;
}

static int deque_length(struct deque *deque) {
  int length = atomic_load(&deque->bottom) - atomic_load(&deque->top);
  return length < 0 ? 0 : length;
}

// --- Workers -------------------------------------------------------------------------------------------------------------------

struct statistics {
  unsigned executed[KINDS];
  unsigned stolen;
  unsigned failed;
};

struct worker {
  int number;
  struct statistics statistics;
  struct deque deque;
  pthread_t thread;
};

static struct worker workers[WORKERS];

// How many tasks are still to be done, and what was done so far.
static atomic_int outstanding;
static atomic_int sum;
static atomic_int notes;

static void submit(struct worker *me, int task) {
  atomic_fetch_add(&outstanding, 1);
  deque_push(&me->deque, task);
}

// A range of one is a unit; a larger one is cut into halves, of which the first is done by somebody else, perhaps.
static void run_range(struct worker *me, int task) {
  int from = task_from(task), to = task_to(task);
  int middle = from + (to - from) / 2;
  if (to - from < 2) {
    atomic_fetch_add(&sum, from);
    return;
  }
  submit(me, task_make(UNIT, from, middle));
  for (int index = middle; index < to; index++)
    atomic_fetch_add(&sum, index);
}

static void run_unit(struct worker *me, int task) {
  (void)me;
  int all = 0;
  for (int index = task_from(task); index < task_to(task); index++)
    all += index;
  atomic_fetch_add(&sum, all);
}

static void run_note(struct worker *me, int task) {
  (void)me;
  (void)task;
  atomic_fetch_add(&notes, 1);
}

static void (*const run_kind[KINDS])(struct worker *, int) = {run_range, run_unit, run_note};

static void execute(struct worker *me, int task) {
  enum kind kind = task_kind(task);
  me->statistics.executed[kind]++;
  run_kind[kind](me, task);
  atomic_fetch_sub(&outstanding, 1);
}

// Looks for a task of somebody else's.
static int steal_somewhere(struct worker *me) {
  for (int step = 1; step < WORKERS; step++) {
    struct worker *victim = &workers[(me->number + step) % WORKERS];
    int task = deque_steal(&victim->deque);
    if (task == ABORTED) {
      me->statistics.failed++;
      continue;
    }
    if (task != NOTHING) {
      me->statistics.stolen++;
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
  return NULL;
}

// --- All of them ---------------------------------------------------------------------------------------------------------------

static void workers_init(void) {
  for (int i = 0; i < WORKERS; i++) {
    workers[i].number = i;
    deque_init(&workers[i].deque);
  }
}

static void workers_run(void) {
  for (int i = 1; i < WORKERS; i++)
    pthread_create(&workers[i].thread, NULL, run, &workers[i]);
  run(&workers[0]);
  for (int i = 1; i < WORKERS; i++)
    pthread_join(workers[i].thread, NULL);
}

static struct statistics all_statistics(void) {
  struct statistics all = {{0}, 0, 0};
  for (int i = 0; i < WORKERS; i++) {
    const struct statistics *of = &workers[i].statistics;
    for (int kind = 0; kind < KINDS; kind++)
      all.executed[kind] += of->executed[kind];
    all.stolen += of->stolen;
    all.failed += of->failed;
  }
  return all;
}

static unsigned workers_destroy(void) {
  unsigned arrays = 0;
  for (int i = 0; i < WORKERS; i++) {
    assert(deque_length(&workers[i].deque) == 0);
    arrays += deque_destroy(&workers[i].deque);
  }
  return arrays;
}

int main(void) {
  workers_init();
  submit(&workers[0], task_make(NOTE, 0, 0));
  submit(&workers[0], task_make(RANGE, 1, 3));
  workers_run();
  struct statistics all = all_statistics();
  assert(outstanding == 0);
  assert(sum == 1 + 2);
  assert(notes == 1);
  assert(all.executed[RANGE] == 1 && all.executed[UNIT] == 1 && all.executed[NOTE] == 1);
  assert(all.stolen <= 3);
  // The first push of a second task made an array of two.
  assert(workers_destroy() >= WORKERS + 1);
  return 0;
}
