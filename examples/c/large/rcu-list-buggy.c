// A list that readers walk through without locks: read-copy-update with reference counts for epochs.
//
// Readers note in which epoch they are; a writer makes a changed copy of a node, puts it into the list with one store, and
// frees the old node when no reader can have it any more. Here `update` forgets to wait for that. Writers exclude each other by a lock.
//
// memory: UNSAFE
// races: UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define READERS 1

struct node {
  int key;
  int value;
  _Atomic(struct node *) next;
};

struct list {
  _Atomic(struct node *) first;
  pthread_mutex_t writing;
};

// Who is reading: zero, or the number of the epoch plus one.
struct reader {
  atomic_uint in_epoch;
};

static struct list list = {0, PTHREAD_MUTEX_INITIALIZER};
static struct reader readers[READERS];
static atomic_uint epoch;

// Readers.

static void read_lock(struct reader *me) {
  atomic_store(&me->in_epoch, atomic_load(&epoch) + 1);
}

static void read_unlock(struct reader *me) {
  atomic_store(&me->in_epoch, 0);
}

static bool lookup(struct reader *me, int key, int *value) {
  bool found = false;
  read_lock(me);
  for (struct node *node = atomic_load(&list.first); node; node = atomic_load(&node->next)) {
    if (node->key == key) {
      *value = node->value;
      found = true;
      break;
    }
  }
  read_unlock(me);
  return found;
}

static int count_all(struct reader *me) {
  int count = 0;
  read_lock(me);
  for (struct node *node = atomic_load(&list.first); node; node = atomic_load(&node->next))
    count++;
  read_unlock(me);
  return count;
}

// Writers, with the lock held.

// Waits until nobody reads who was reading when this was called.
static void synchronize(void) {
  unsigned now = atomic_fetch_add(&epoch, 1) + 1;
  for (int i = 0; i < READERS; i++) {
    for (;;) {
      unsigned seen = atomic_load(&readers[i].in_epoch);
      if (seen == 0 || seen > now)
        break;
    }
  }
}

static struct node *node_new(int key, int value, struct node *next) {
  struct node *node = malloc(sizeof *node);
  if (!node)
    abort();
  node->key = key;
  node->value = value;
  atomic_init(&node->next, next);
  return node;
}

// The link that leads to a key, or to the end.
static _Atomic(struct node *) *link_to(int key) {
  _Atomic(struct node *) *link = &list.first;
  struct node *node;
  while ((node = atomic_load(link)) && node->key != key)
    link = &node->next;
  return link;
}

static void insert(int key, int value) {
  pthread_mutex_lock(&list.writing);
  struct node *node = node_new(key, value, atomic_load(&list.first));
  atomic_store(&list.first, node);
  pthread_mutex_unlock(&list.writing);
}

static bool update(int key, int value) {
  pthread_mutex_lock(&list.writing);
  _Atomic(struct node *) *link = link_to(key);
  struct node *old = atomic_load(link);
  if (!old) {
    pthread_mutex_unlock(&list.writing);
    return false;
  }
  struct node *copy = node_new(key, value, atomic_load(&old->next));
  atomic_store(link, copy);
  free(old);
  pthread_mutex_unlock(&list.writing);
  return true;
}

static bool erase(int key) {
  pthread_mutex_lock(&list.writing);
  _Atomic(struct node *) *link = link_to(key);
  struct node *old = atomic_load(link);
  if (old) {
    atomic_store(link, atomic_load(&old->next));
    synchronize();
    free(old);
  }
  pthread_mutex_unlock(&list.writing);
  return old != 0;
}

static void clear(void) {
  while (atomic_load(&list.first))
    erase(atomic_load(&list.first)->key);
}

// What threads do.

static void *reading(void *argument) {
  struct reader *me = argument;
  int value = 0;
  if (lookup(me, 1, &value))
    assert(value == 10 || value == 11);
  return 0;
}

int main(void) {
  pthread_t threads[READERS];
  insert(1, 10);
  for (int i = 0; i < READERS; i++)
    pthread_create(&threads[i], 0, reading, &readers[i]);
  update(1, 11);
  for (int i = 0; i < READERS; i++)
    pthread_join(threads[i], 0);
  assert(count_all(&readers[0]) == 1);
  clear();
  return 0;
}
