// The consumer tests once, with `if`: a wait that wakes up for nothing hands out an item that is not there.
// assertions: UNSAFE
// races: SAFE
// locks: SAFE
#include <assert.h>
#include <pthread.h>

struct queue {
  int item, full;
  pthread_mutex_t lock;
  pthread_cond_t changed;
} q = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

void put(struct queue *q, int item) {
  pthread_mutex_lock(&q->lock);
  while (q->full)
    pthread_cond_wait(&q->changed, &q->lock);
  q->item = item;
  q->full = 1;
  pthread_cond_signal(&q->changed);
  pthread_mutex_unlock(&q->lock);
}

int get(struct queue *q) {
  pthread_mutex_lock(&q->lock);
  if (!q->full)
    pthread_cond_wait(&q->changed, &q->lock);
  int item = q->item;
  q->full = 0;
  pthread_cond_signal(&q->changed);
  pthread_mutex_unlock(&q->lock);
  return item;
}

void *producer(void *unused) {
  for (int i = 1; i <= 3; i++)
    put(&q, i);
  return 0;
}

int main(void) {
  pthread_t p;
  pthread_create(&p, 0, producer, 0);
  for (int i = 1; i <= 3; i++)
    assert(get(&q) == i);
  pthread_join(p, 0);
  return 0;
}
