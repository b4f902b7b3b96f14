// Variables that belong together, kept together by a lock.
// After Lu, Park, Seo and Zhou, ASPLOS 2008, figure 4 (Mozilla); row Fig4-fixed of THREADER, table 1.
//
// As fig4-cex.c, but both look at the text and its selection under a lock. The editor types any number of characters, up to what
// a text can hold: without that limit the size would overflow.
// assertions: SAFE
// races: SAFE
// memory: SAFE
// locks: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { CAPACITY = 12 };

struct text {
  pthread_mutex_t lock;
  int size;
  int offset;
  int length;
} text = {PTHREAD_MUTEX_INITIALIZER, 10, 4, 6};

static void type_character(struct text *t) {
  if (t->size < CAPACITY)
    t->size++;
}

static void delete_selection(struct text *t) {
  t->size -= t->length;
  t->length = 0;
  t->offset = 0;
}

void *editor(void *unused) {
  while (rand() % 2) {
    pthread_mutex_lock(&text.lock);
    type_character(&text);
    delete_selection(&text);
    pthread_mutex_unlock(&text.lock);
  }
  return 0;
}

void *painter(void *unused) {
  pthread_mutex_lock(&text.lock);
  int end = text.offset + text.length;
  assert(end <= text.size);
  pthread_mutex_unlock(&text.lock);
  return 0;
}

int main(void) {
  pthread_t e, p;
  pthread_create(&e, 0, editor, 0);
  pthread_create(&p, 0, painter, 0);
  pthread_join(e, 0);
  pthread_join(p, 0);
  return 0;
}
