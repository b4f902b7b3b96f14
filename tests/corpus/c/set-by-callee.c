// Functions give results through pointers, and say whether they did: what was not set is never looked at.
//
// assertions: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

struct item {
  unsigned number;
  int weight;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct item items[2];
static unsigned count;
static int total;

static bool take(struct item *item) {
  pthread_mutex_lock(&lock);
  bool found = count > 0;
  if (found)
    *item = items[--count];
  pthread_mutex_unlock(&lock);
  return found;
}

static bool weight_of(const struct item *item, int *weight) {
  if (item->number == 0)
    return false;
  *weight = item->weight;
  return true;
}

static void *worker(void *unused) {
  struct item item;
  (void)unused;
  while (take(&item)) {
    int weight;
    if (weight_of(&item, &weight)) {
      pthread_mutex_lock(&lock);
      total += weight * (int)item.number;
      pthread_mutex_unlock(&lock);
    }
  }
  return 0;
}

int main(void) {
  pthread_t threads[2];
  items[count++] = (struct item){1, 20};
  items[count++] = (struct item){2, 11};
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], 0, worker, 0);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], 0);
  assert(total == 42);
  return 0;
}
