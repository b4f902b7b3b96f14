// A table that readers walk through without locks: read-copy-update with epochs.
//
// Readers note in which epoch they are, and keep nodes only while they are there. Writers exclude each other by a lock for each bucket; one that
// changes a node makes a changed copy of it, and puts it into the list with one store. The old node is not freed at once but
// retired: it goes to a list of its epoch, and is freed when no reader can have it any more, that is, when all who were reading then have left. Here
// those are not waited for who began to read in the epoch that has just ended.
// A table has a version, which says how often it was changed.
//
// memory: UNSAFE
// races: UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define READERS 1
#define BUCKETS 2
#define NOBODY 0u

// --- The table -----------------------------------------------------------------------------------------------------------------

// Only `next` is changed after a node was published. `retired` is of the one who took the node out.
struct node {
  int key;
  int value;
  _Atomic(struct node *) next;
  struct node *retired;
};

struct bucket {
  pthread_mutex_t writing;
  _Atomic(struct node *) first;
};

struct table {
  struct bucket buckets[BUCKETS];
  atomic_uint version;
  atomic_int length;
};

// Who is reading: nobody, or the number of the epoch plus one.
struct reader {
  atomic_uint in_epoch;
  unsigned depth;
};

// Nodes that were taken out, and nobody has freed yet.
struct graveyard {
  pthread_mutex_t lock;
  struct node *first;
  unsigned count;
  unsigned freed;
};

static struct table table;
static struct reader readers[READERS + 1];
static atomic_uint epoch;
static struct graveyard graveyard = {.lock = PTHREAD_MUTEX_INITIALIZER};

// --- Reading -------------------------------------------------------------------------------------------------------------------

// Readers may read while they are reading.
static void read_lock(struct reader *me) {
  if (me->depth++ == 0)
    atomic_store(&me->in_epoch, atomic_load(&epoch) + 1);
}

static void read_unlock(struct reader *me) {
  assert(me->depth > 0);
  if (--me->depth == 0)
    atomic_store(&me->in_epoch, NOBODY);
}

static struct bucket *bucket_of(int key) {
  return &table.buckets[(unsigned)key % BUCKETS];
}

static const struct node *find(const struct reader *me, int key) {
  struct bucket *bucket = bucket_of(key);
  assert(me->depth > 0);
  for (struct node *node = atomic_load(&bucket->first); node; node = atomic_load(&node->next))
    if (node->key == key)
      return node;
  return NULL;
}

static bool lookup(struct reader *me, int key, int *value) {
  read_lock(me);
  const struct node *node = find(me, key);
  if (node)
    *value = node->value;
  read_unlock(me);
  return node != NULL;
}

// Calls something for each node, and says for how many.
static unsigned for_each(struct reader *me, void (*act)(const struct node *, void *), void *context) {
  unsigned count = 0;
  read_lock(me);
  for (unsigned i = 0; i < BUCKETS; i++) {
    for (struct node *node = atomic_load(&table.buckets[i].first); node; node = atomic_load(&node->next)) {
      act(node, context);
      count++;
    }
  }
  read_unlock(me);
  return count;
}

static void add_value(const struct node *node, void *context) {
  *(int *)context += node->value;
}

static void find_least(const struct node *node, void *context) {
  int *least = context;
  if (node->key < *least)
    *least = node->key;
}

// --- Throwing away -------------------------------------------------------------------------------------------------------------

// Waits until nobody reads who was reading when this was called.
static void synchronize(void) {
  unsigned now = atomic_fetch_add(&epoch, 1) + 1;
  for (unsigned i = 0; i <= READERS; i++) {
    for (;;) {
      unsigned seen = atomic_load(&readers[i].in_epoch);
      if (seen == NOBODY || seen >= now)
        break;
    }
  }
}

static void retire(struct node *node) {
  pthread_mutex_lock(&graveyard.lock);
  node->retired = graveyard.first;
  graveyard.first = node;
  graveyard.count++;
  pthread_mutex_unlock(&graveyard.lock);
}

// Frees what was retired before this was called.
static unsigned reclaim(void) {
  unsigned freed = 0;
  pthread_mutex_lock(&graveyard.lock);
  struct node *node = graveyard.first;
  graveyard.first = NULL;
  graveyard.count = 0;
  pthread_mutex_unlock(&graveyard.lock);
  if (!node)
    return 0;
  synchronize();
  while (node) {
    struct node *next = node->retired;
    free(node);
    node = next;
    freed++;
  }
  pthread_mutex_lock(&graveyard.lock);
  graveyard.freed += freed;
  pthread_mutex_unlock(&graveyard.lock);
  return freed;
}

// --- Writing -------------------------------------------------------------------------------------------------------------------

static struct node *node_new(int key, int value, struct node *next) {
  struct node *node = malloc(sizeof *node);
  if (!node)
    abort();
  node->key = key;
  node->value = value;
  node->retired = NULL;
  atomic_init(&node->next, next);
  return node;
}

// The link that leads to a key, or to the end; with the lock of the bucket held.
static _Atomic(struct node *) *link_to(struct bucket *bucket, int key) {
  _Atomic(struct node *) *link = &bucket->first;
  struct node *node;
  while ((node = atomic_load(link)) && node->key != key)
    link = &node->next;
  return link;
}

static void changed(int more) {
  atomic_fetch_add(&table.length, more);
  atomic_fetch_add(&table.version, 1);
}

// True if there was none with the key.
static bool insert(int key, int value) {
  struct bucket *bucket = bucket_of(key);
  pthread_mutex_lock(&bucket->writing);
  bool is_new = atomic_load(link_to(bucket, key)) == NULL;
  if (is_new) {
    atomic_store(&bucket->first, node_new(key, value, atomic_load(&bucket->first)));
    changed(1);
  }
  pthread_mutex_unlock(&bucket->writing);
  return is_new;
}

static bool update(int key, int value) {
  struct bucket *bucket = bucket_of(key);
  pthread_mutex_lock(&bucket->writing);
  _Atomic(struct node *) *link = link_to(bucket, key);
  struct node *old = atomic_load(link);
  if (old) {
    atomic_store(link, node_new(key, value, atomic_load(&old->next)));
    changed(0);
  }
  pthread_mutex_unlock(&bucket->writing);
  if (old)
    retire(old);
  return old != NULL;
}

static bool erase(int key) {
  struct bucket *bucket = bucket_of(key);
  pthread_mutex_lock(&bucket->writing);
  _Atomic(struct node *) *link = link_to(bucket, key);
  struct node *old = atomic_load(link);
  if (old) {
    atomic_store(link, atomic_load(&old->next));
    changed(-1);
  }
  pthread_mutex_unlock(&bucket->writing);
  if (old)
    retire(old);
  return old != NULL;
}

// --- Beginning and end ---------------------------------------------------------------------------------------------------------

static void table_init(void) {
  for (unsigned i = 0; i < BUCKETS; i++) {
    pthread_mutex_init(&table.buckets[i].writing, NULL);
    atomic_init(&table.buckets[i].first, NULL);
  }
}

static void table_clear(void) {
  for (unsigned i = 0; i < BUCKETS; i++) {
    struct node *node;
    while ((node = atomic_load(&table.buckets[i].first)))
      erase(node->key);
  }
  reclaim();
}

static void table_destroy(void) {
  for (unsigned i = 0; i < BUCKETS; i++)
    pthread_mutex_destroy(&table.buckets[i].writing);
}

// --- What threads do -----------------------------------------------------------------------------------------------------------

// What a reader finds is what somebody put there.
static void *reading(void *argument) {
  struct reader *me = argument;
  int value;
  if (lookup(me, 1, &value))
    assert(value == 10 || value == 11);
  return NULL;
}

int main(void) {
  pthread_t threads[READERS];
  struct reader *me = &readers[READERS];
  int sum = 0, least = 100, value;
  table_init();
  insert(1, 10);
  insert(2, 20);
  for (int i = 0; i < READERS; i++)
    pthread_create(&threads[i], NULL, reading, &readers[i]);
  update(1, 11);
  reclaim();
  for (int i = 0; i < READERS; i++)
    pthread_join(threads[i], NULL);
  assert(!insert(2, 21));
  assert(for_each(me, add_value, &sum) == 2 && sum == 31);
  assert(for_each(me, find_least, &least) == 2 && least == 1);
  erase(2);
  assert(!lookup(me, 2, &value));
  assert(lookup(me, 1, &value) && value == 11);
  assert(table.length == 1 && table.version == 4);
  table_clear();
  assert(graveyard.freed == 3 && graveyard.count == 0);
  table_destroy();
  return 0;
}
