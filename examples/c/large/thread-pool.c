// A pool of worker threads with a bounded queue of tasks, priorities, futures and a graceful end.
//
// Tasks are kept in two rings, urgent and normal. Workers take urgent ones first. Whoever submits a task gets a future and can
// wait for its result. The pool counts what it does; all of that is under one lock, results are under the lock of their future.
//
// assertions: SAFE
// races: SAFE
// locks: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define WORKERS 2
#define CAPACITY 4
#define CLASSES 2

enum class { URGENT, NORMAL };

enum status { EMPTY, PENDING, RUNNING, DONE, CANCELLED };

typedef int (*work_fn)(int);

// What a task will have computed.
struct future {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  enum status status;
  int result;
};

struct task {
  work_fn work;
  int argument;
  struct future *future;
};

// A ring of tasks.
struct ring {
  struct task slots[CAPACITY];
  unsigned head;
  unsigned count;
};

struct statistics {
  unsigned submitted;
  unsigned rejected;
  unsigned finished;
  unsigned cancelled;
  unsigned most_waiting;
};

struct pool {
  pthread_mutex_t lock;
  pthread_cond_t not_empty;
  pthread_cond_t not_full;
  pthread_cond_t idle;
  struct ring rings[CLASSES];
  unsigned busy;
  bool closing;
  struct statistics statistics;
  pthread_t workers[WORKERS];
};

static struct pool pool;

// Rings. All of these are called with the lock of the pool held.

static void ring_init(struct ring *ring) {
  ring->head = 0;
  ring->count = 0;
}

static bool ring_is_full(const struct ring *ring) {
  return ring->count == CAPACITY;
}

static bool ring_is_empty(const struct ring *ring) {
  return ring->count == 0;
}

static void ring_push(struct ring *ring, struct task task) {
  unsigned tail = (ring->head + ring->count) % CAPACITY;
  ring->slots[tail] = task;
  ring->count++;
}

static struct task ring_pop(struct ring *ring) {
  struct task task = ring->slots[ring->head];
  ring->head = (ring->head + 1) % CAPACITY;
  ring->count--;
  return task;
}

// Futures.

static void future_init(struct future *future) {
  pthread_mutex_init(&future->lock, 0);
  pthread_cond_init(&future->changed, 0);
  future->status = EMPTY;
  future->result = 0;
}

static void future_set(struct future *future, enum status status, int result) {
  pthread_mutex_lock(&future->lock);
  future->status = status;
  future->result = result;
  pthread_cond_broadcast(&future->changed);
  pthread_mutex_unlock(&future->lock);
}

static bool future_wait(struct future *future, int *result) {
  bool is_done;
  pthread_mutex_lock(&future->lock);
  while (future->status != DONE && future->status != CANCELLED)
    pthread_cond_wait(&future->changed, &future->lock);
  is_done = future->status == DONE;
  if (is_done && result)
    *result = future->result;
  pthread_mutex_unlock(&future->lock);
  return is_done;
}

static enum status future_status(struct future *future) {
  enum status status;
  pthread_mutex_lock(&future->lock);
  status = future->status;
  pthread_mutex_unlock(&future->lock);
  return status;
}

static void future_destroy(struct future *future) {
  pthread_cond_destroy(&future->changed);
  pthread_mutex_destroy(&future->lock);
}

// The pool, with its lock held.

static unsigned waiting(void) {
  unsigned all = 0;
  for (int class = 0; class < CLASSES; class++)
    all += pool.rings[class].count;
  return all;
}

static bool has_work(void) {
  for (int class = 0; class < CLASSES; class++)
    if (!ring_is_empty(&pool.rings[class]))
      return true;
  return false;
}

static struct task next_task(void) {
  for (int class = 0; class < CLASSES; class++)
    if (!ring_is_empty(&pool.rings[class]))
      return ring_pop(&pool.rings[class]);
  return (struct task){0, 0, 0};
}

static void note_submission(void) {
  unsigned now = waiting();
  pool.statistics.submitted++;
  if (now > pool.statistics.most_waiting)
    pool.statistics.most_waiting = now;
}

// What threads do.

static void run_task(struct task *task) {
  future_set(task->future, RUNNING, 0);
  int result = task->work(task->argument);
  future_set(task->future, DONE, result);
}

static void *worker(void *unused) {
  (void)unused;
  pthread_mutex_lock(&pool.lock);
  for (;;) {
    while (!has_work() && !pool.closing)
      pthread_cond_wait(&pool.not_empty, &pool.lock);
    if (!has_work())
      break;
    struct task task = next_task();
    pool.busy++;
    pthread_cond_signal(&pool.not_full);
    pthread_mutex_unlock(&pool.lock);

    run_task(&task);

    pthread_mutex_lock(&pool.lock);
    pool.busy--;
    pool.statistics.finished++;
    if (pool.busy == 0 && !has_work())
      pthread_cond_broadcast(&pool.idle);
  }
  pthread_mutex_unlock(&pool.lock);
  return 0;
}

static void pool_start(void) {
  pthread_mutex_init(&pool.lock, 0);
  pthread_cond_init(&pool.not_empty, 0);
  pthread_cond_init(&pool.not_full, 0);
  pthread_cond_init(&pool.idle, 0);
  for (int class = 0; class < CLASSES; class++)
    ring_init(&pool.rings[class]);
  for (int i = 0; i < WORKERS; i++)
    pthread_create(&pool.workers[i], 0, worker, 0);
}

// Waits for room; false if the pool is closing.
static bool pool_submit(enum class class, work_fn work, int argument, struct future *future) {
  struct ring *ring = &pool.rings[class];
  pthread_mutex_lock(&pool.lock);
  while (ring_is_full(ring) && !pool.closing)
    pthread_cond_wait(&pool.not_full, &pool.lock);
  if (pool.closing) {
    pool.statistics.rejected++;
    pthread_mutex_unlock(&pool.lock);
    return false;
  }
  future_set(future, PENDING, 0);
  ring_push(ring, (struct task){work, argument, future});
  note_submission();
  pthread_cond_signal(&pool.not_empty);
  pthread_mutex_unlock(&pool.lock);
  return true;
}

// Waits for nothing.
static bool pool_try_submit(enum class class, work_fn work, int argument, struct future *future) {
  bool accepted = false;
  pthread_mutex_lock(&pool.lock);
  struct ring *ring = &pool.rings[class];
  if (!ring_is_full(ring) && !pool.closing) {
    future_set(future, PENDING, 0);
    ring_push(ring, (struct task){work, argument, future});
    note_submission();
    pthread_cond_signal(&pool.not_empty);
    accepted = true;
  } else {
    pool.statistics.rejected++;
  }
  pthread_mutex_unlock(&pool.lock);
  return accepted;
}

static void pool_drain(void) {
  pthread_mutex_lock(&pool.lock);
  while (pool.busy > 0 || has_work())
    pthread_cond_wait(&pool.idle, &pool.lock);
  pthread_mutex_unlock(&pool.lock);
}

// Throws away what nobody has begun.
static unsigned pool_cancel_waiting(void) {
  unsigned cancelled = 0;
  pthread_mutex_lock(&pool.lock);
  while (has_work()) {
    struct task task = next_task();
    future_set(task.future, CANCELLED, 0);
    pool.statistics.cancelled++;
    cancelled++;
  }
  pthread_cond_broadcast(&pool.not_full);
  pthread_mutex_unlock(&pool.lock);
  return cancelled;
}

static struct statistics pool_stop(void) {
  pthread_mutex_lock(&pool.lock);
  pool.closing = true;
  pthread_cond_broadcast(&pool.not_empty);
  pthread_cond_broadcast(&pool.not_full);
  pthread_mutex_unlock(&pool.lock);
  for (int i = 0; i < WORKERS; i++)
    pthread_join(pool.workers[i], 0);
  struct statistics last = pool.statistics;
  pthread_cond_destroy(&pool.idle);
  pthread_cond_destroy(&pool.not_full);
  pthread_cond_destroy(&pool.not_empty);
  pthread_mutex_destroy(&pool.lock);
  return last;
}

// A client.

static int square(int n) {
  return n * n;
}

static int add_one(int n) {
  return n + 1;
}

int main(void) {
  struct future first, second, third;
  int result = 0;
  future_init(&first);
  future_init(&second);
  future_init(&third);
  pool_start();
  pool_submit(NORMAL, square, 3, &first);
  pool_submit(URGENT, add_one, 1, &second);
  bool is_accepted = pool_try_submit(NORMAL, square, 5, &third);
  if (future_wait(&first, &result))
    assert(result == 9);
  pool_cancel_waiting();
  if (is_accepted && future_wait(&third, &result))
    assert(result == 25);
  pool_drain();
  struct statistics statistics = pool_stop();
  assert(statistics.submitted == statistics.finished + statistics.cancelled);
  assert(future_status(&second) == DONE || future_status(&second) == CANCELLED);
  future_destroy(&third);
  future_destroy(&second);
  future_destroy(&first);
  return 0;
}
