// Read-copy-update with fast updates (QRCU): a reader and an updater.
// After McKenney, Using Promela and Spin to verify parallel algorithms, LWN 2007; row QRCU of THREADER, table 1.
//
// A reader counts itself in one of two counters, that of `current`, unless that is 0 already. An updater waits until all readers
// that were there when it started have left: it sees, adding the counters up and looking twice, that there is nobody, or it takes
// the mutex, switches `current` and waits for the old counter to become 0.
// assertions: SAFE
// races: SAFE
// memory: SAFE
// locks: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum progress { OUTSIDE, INSIDE, GONE };

atomic_int current;
atomic_int counter[2] = {1, 0};
atomic_int progress = OUTSIDE;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool increment_unless_zero(atomic_int *c) {
  int seen = *c;
  while (seen > 0)
    if (atomic_compare_exchange_strong(c, &seen, seen + 1))
      return true;
  return false;
}

static int read_lock(void) {
  while (true) {
    int mine = current;
    if (increment_unless_zero(&counter[mine]))
      return mine;
  }
}

static void read_unlock(int mine) { atomic_fetch_sub(&counter[mine], 1); }

static int sum_unordered(void) {
  int sum;
  if (rand() % 2) {
    sum = counter[0];
    sum += counter[1];
  } else {
    sum = counter[1];
    sum += counter[0];
  }
  return sum;
}

static void synchronize(void) {
  int sum = sum_unordered();
  if (sum <= 1)
    sum = sum_unordered();
  if (sum > 1) {
    pthread_mutex_lock(&lock);
    int old = current;
    atomic_fetch_add(&counter[1 - old], 1);
    current = 1 - old;
    atomic_fetch_sub(&counter[old], 1);
    while (counter[old] != 0)
      ;
    pthread_mutex_unlock(&lock);
  }
}

void *reader(void *unused) {
  int mine = read_lock();
  progress = INSIDE;
  // The protected data are read here.
  progress = GONE;
  read_unlock(mine);
  return 0;
}

void *updater(void *unused) {
  // Old data are unlinked here; a reader that is inside may still use them.
  enum progress seen = progress;
  synchronize();
  // The old data are freed here.
  if (seen == INSIDE)
    assert(progress != INSIDE);
  return 0;
}

int main(void) {
  pthread_t r, u;
  pthread_create(&r, 0, reader, 0);
  pthread_create(&u, 0, updater, 0);
  pthread_join(r, 0);
  pthread_join(u, 0);
  return 0;
}
