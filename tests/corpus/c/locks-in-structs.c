// Locks and conditions in a struct on the heap.
//
// assertions: SAFE
// races: SAFE
// memory: SAFE
// locks: SAFE
// deadlock: SAFE
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct q { pthread_mutex_t m; pthread_cond_t c; int n; int *items; struct { pthread_rwlock_t rw; int v; } b[2]; };
struct q *make(int cap) {
  struct q *q = malloc(sizeof(struct q));
  pthread_mutex_init(&q->m, NULL);
  pthread_cond_init(&q->c, NULL);
  q->n = 0;
  q->items = malloc(cap * sizeof(int));
  for (int i = 0; i < 2; i++) {
    pthread_rwlock_init(&q->b[i].rw, 0);
    q->b[i].v = i;
  }
  return q;
}

void *prod(void *a) {
  struct q *q = a;
  pthread_mutex_lock(&q->m);
  q->items[q->n++] = 7;
  pthread_cond_signal(&q->c);
  pthread_mutex_unlock(&q->m);
  pthread_rwlock_wrlock(&q->b[1].rw);
  q->b[1].v++;
  pthread_rwlock_unlock(&q->b[1].rw);
  return NULL;
}

int main(void) {
  struct q *q = make(2);
  pthread_t t;
  pthread_create(&t, NULL, prod, q);
  pthread_mutex_lock(&q->m);
  while (q->n == 0) pthread_cond_wait(&q->c, &q->m);
  assert(q->items[0] == 7);
  pthread_mutex_unlock(&q->m);
  pthread_join(t, NULL);
  assert(q->b[1].v == 2);
  free(q->items);
  free(q);
  return 0;
}
