// The reference is dropped before the last use: the object may be gone by then.
// memory: UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
  atomic_int references;
  int value;
};

void drop(struct object *o) {
  if (atomic_fetch_sub(&o->references, 1) == 1)
    free(o);
}

void *user(void *arg) {
  struct object *o = arg;
  drop(o);
  assert(o->value == 7);
  return 0;
}

int main(void) {
  struct object *o = malloc(sizeof *o);
  o->value = 7;
  o->references = 2;
  pthread_t t;
  pthread_create(&t, 0, user, o);
  assert(o->value == 7);
  drop(o);
  pthread_join(t, 0);
  return 0;
}
