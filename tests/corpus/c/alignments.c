// Members with an alignment of their own: one on a line of the cache each.
// assertions: SAFE
// races: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct slot {
  _Alignas(64) atomic_int sequence;
  _Alignas(long) char tag;
  int value;
};

struct slot slots[2];

void *publish(void *unused) {
  atomic_store(&slots[0].sequence, 1);
  return 0;
}

int main(void) {
  pthread_t thread;
  _Static_assert(sizeof(struct slot) == 64, "the alignment is part of the size");
  pthread_create(&thread, 0, publish, 0);
  pthread_join(thread, 0);
  assert(atomic_load(&slots[0].sequence) == 1);
  assert((char *)&slots[1] - (char *)&slots[0] == 64);
  assert(offsetof(struct slot, tag) == sizeof(long) && offsetof(struct slot, value) == sizeof(long) + 4);
  return 0;
}
