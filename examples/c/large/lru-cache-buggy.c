// A cache that forgets what was not used for the longest time: a hash table with a lock for each bucket, and a list of all
// entries by their last use with a lock of its own.
//
// The order of locks is: a bucket, then the list. Who throws out the oldest entry holds the bucket that it fills, and here forgets
// that the oldest one may be in another. An entry is changed only by holders of its bucket's lock;
// its links and its number of uses only by holders of the list's lock.
//
// races: UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define BUCKETS 2
#define ENTRIES 2
#define NONE (-1)

struct entry {
  // By the lock of the bucket.
  int key;
  int value;
  int next_in_bucket;
  // By the lock of the list.
  int bucket;
  int newer;
  int older;
  unsigned uses;
};

struct bucket {
  pthread_mutex_t lock;
  int first;
  unsigned hits;
  unsigned misses;
};

struct list {
  pthread_mutex_t lock;
  int newest;
  int oldest;
  int unused;
  unsigned length;
  unsigned evictions;
};

static struct entry entries[ENTRIES];
static struct bucket buckets[BUCKETS];
static struct list list;

// The list of entries by their last use. All of these are called with its lock held.

static void list_unlink(int at) {
  struct entry *entry = &entries[at];
  if (entry->newer != NONE)
    entries[entry->newer].older = entry->older;
  else
    list.newest = entry->older;
  if (entry->older != NONE)
    entries[entry->older].newer = entry->newer;
  else
    list.oldest = entry->newer;
  entry->newer = NONE;
  entry->older = NONE;
  list.length--;
}

static void list_push_newest(int at) {
  struct entry *entry = &entries[at];
  entry->newer = NONE;
  entry->older = list.newest;
  if (list.newest != NONE)
    entries[list.newest].newer = at;
  else
    list.oldest = at;
  list.newest = at;
  list.length++;
}

static void list_touch(int at) {
  entries[at].uses++;
  if (list.newest != at) {
    list_unlink(at);
    list_push_newest(at);
  }
}

static int list_take_unused(void) {
  int at = list.unused;
  if (at != NONE) {
    list.unused = entries[at].older;
    entries[at].older = NONE;
  }
  return at;
}

static void list_give_unused(int at) {
  entries[at].older = list.unused;
  entries[at].bucket = NONE;
  list.unused = at;
}

// Buckets. All of these are called with the bucket's lock held.

static int bucket_of(int key) {
  return (int)((unsigned)key % BUCKETS);
}

static int bucket_find(struct bucket *bucket, int key) {
  for (int at = bucket->first; at != NONE; at = entries[at].next_in_bucket)
    if (entries[at].key == key)
      return at;
  return NONE;
}

static void bucket_insert(struct bucket *bucket, int at, int key, int value) {
  entries[at].key = key;
  entries[at].value = value;
  entries[at].next_in_bucket = bucket->first;
  bucket->first = at;
}

static void bucket_remove(struct bucket *bucket, int at) {
  if (bucket->first == at) {
    bucket->first = entries[at].next_in_bucket;
    return;
  }
  for (int before = bucket->first; before != NONE; before = entries[before].next_in_bucket) {
    if (entries[before].next_in_bucket == at) {
      entries[before].next_in_bucket = entries[at].next_in_bucket;
      return;
    }
  }
}

// The cache.

static void cache_init(void) {
  for (int i = 0; i < BUCKETS; i++) {
    pthread_mutex_init(&buckets[i].lock, NULL);
    buckets[i].first = NONE;
  }
  pthread_mutex_init(&list.lock, NULL);
  list.newest = NONE;
  list.oldest = NONE;
  list.unused = NONE;
  for (int at = 0; at < ENTRIES; at++) {
    entries[at].newer = NONE;
    list_give_unused(at);
  }
}

static void cache_destroy(void) {
  pthread_mutex_destroy(&list.lock);
  for (int i = 0; i < BUCKETS; i++)
    pthread_mutex_destroy(&buckets[i].lock);
}

static bool cache_get(int key, int *value) {
  struct bucket *bucket = &buckets[bucket_of(key)];
  pthread_mutex_lock(&bucket->lock);
  int at = bucket_find(bucket, key);
  if (at == NONE) {
    bucket->misses++;
    pthread_mutex_unlock(&bucket->lock);
    return false;
  }
  bucket->hits++;
  *value = entries[at].value;
  pthread_mutex_lock(&list.lock);
  list_touch(at);
  pthread_mutex_unlock(&list.lock);
  pthread_mutex_unlock(&bucket->lock);
  return true;
}

// Takes the oldest entry away from its bucket, which must be free or the one that is held.
static int cache_evict(int held) {
  pthread_mutex_lock(&list.lock);
  int at = list.oldest;
  if (at == NONE) {
    pthread_mutex_unlock(&list.lock);
    return NONE;
  }
  int other = entries[at].bucket;
  if (other == held) {
    list_unlink(at);
    list.evictions++;
    bucket_remove(&buckets[held], at);
    pthread_mutex_unlock(&list.lock);
    return at;
  }
  list_unlink(at);
  list.evictions++;
  pthread_mutex_unlock(&list.lock);
  bucket_remove(&buckets[other], at);
  return at;
}

static int cache_room(int held) {
  pthread_mutex_lock(&list.lock);
  int at = list_take_unused();
  pthread_mutex_unlock(&list.lock);
  return at != NONE ? at : cache_evict(held);
}

// False if there is no room just now.
static bool cache_put(int key, int value) {
  int number = bucket_of(key);
  struct bucket *bucket = &buckets[number];
  pthread_mutex_lock(&bucket->lock);
  int at = bucket_find(bucket, key);
  if (at != NONE) {
    entries[at].value = value;
    pthread_mutex_lock(&list.lock);
    list_touch(at);
    pthread_mutex_unlock(&list.lock);
    pthread_mutex_unlock(&bucket->lock);
    return true;
  }
  at = cache_room(number);
  if (at == NONE) {
    pthread_mutex_unlock(&bucket->lock);
    return false;
  }
  bucket_insert(bucket, at, key, value);
  pthread_mutex_lock(&list.lock);
  entries[at].bucket = number;
  entries[at].uses = 0;
  list_push_newest(at);
  pthread_mutex_unlock(&list.lock);
  pthread_mutex_unlock(&bucket->lock);
  return true;
}

static bool cache_forget(int key) {
  struct bucket *bucket = &buckets[bucket_of(key)];
  pthread_mutex_lock(&bucket->lock);
  int at = bucket_find(bucket, key);
  if (at != NONE) {
    bucket_remove(bucket, at);
    pthread_mutex_lock(&list.lock);
    list_unlink(at);
    list_give_unused(at);
    pthread_mutex_unlock(&list.lock);
  }
  pthread_mutex_unlock(&bucket->lock);
  return at != NONE;
}

static unsigned cache_length(void) {
  pthread_mutex_lock(&list.lock);
  unsigned length = list.length;
  pthread_mutex_unlock(&list.lock);
  return length;
}

// What all buckets have seen together: one after the other, so that it is exact only while nobody asks for anything.
struct totals {
  unsigned hits;
  unsigned misses;
  unsigned evictions;
};

static struct totals cache_totals(void) {
  struct totals totals = {0, 0, 0};
  for (int i = 0; i < BUCKETS; i++) {
    pthread_mutex_lock(&buckets[i].lock);
    totals.hits += buckets[i].hits;
    totals.misses += buckets[i].misses;
    pthread_mutex_unlock(&buckets[i].lock);
  }
  pthread_mutex_lock(&list.lock);
  totals.evictions = list.evictions;
  pthread_mutex_unlock(&list.lock);
  return totals;
}

// What threads do.

static void *writer(void *argument) {
  int from = *(int *)argument;
  for (int key = from; key < from + 2; key++)
    cache_put(key, key * 10);
  cache_forget(from);
  return NULL;
}

static void check_all(void) {
  int value = 0;
  for (int key = 0; key < 3; key++)
    if (cache_get(key, &value))
      assert(value == key * 10);
}

int main(void) {
  pthread_t writers[2];
  int from[2] = {0, 1};
  cache_init();
  for (int i = 0; i < 2; i++)
    pthread_create(&writers[i], NULL, writer, &from[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(writers[i], NULL);
  check_all();
  assert(cache_length() <= ENTRIES);
  struct totals totals = cache_totals();
  assert(totals.hits + totals.misses == 3);
  cache_destroy();
  return 0;
}
