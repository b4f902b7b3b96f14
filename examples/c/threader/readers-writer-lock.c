// A readers-writer lock.
// After CALVIN, section 6.2; row Readers-writer-lock of THREADER, table 1.
//
// The lock is a number: how many readers there are, or -1 for a writer.
// assertions: SAFE
// races: SAFE
// memory: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int lock;
int x;

static void begin_write(void) {
  int free = 0;
  while (!atomic_compare_exchange_strong(&lock, &free, -1))
    free = 0;
}

static void begin_read(void) {
  int readers = lock;
  while (readers < 0 || !atomic_compare_exchange_strong(&lock, &readers, readers + 1))
    readers = lock;
}

void *writer(void *unused) {
  begin_write();
  x = 3;
  lock = 0;
  return 0;
}

void *reader(void *unused) {
  begin_read();
  int y = x;
  assert(y == x);
  lock -= 1;
  return 0;
}

int main(void) {
  pthread_t w, r[2];
  pthread_create(&w, 0, writer, 0);
  pthread_create(&r[0], 0, reader, 0);
  pthread_create(&r[1], 0, reader, 0);
  pthread_join(w, 0);
  pthread_join(r[0], 0);
  pthread_join(r[1], 0);
  return 0;
}
