// Variables that belong together and are not kept together.
// After Lu, Park, Seo and Zhou, ASPLOS 2008, figure 4 (Mozilla); row Fig4-cex of THREADER, table 1.
//
// A text has a size, and a selection is an offset and a length inside of it. The bug: the editor shortens the text before it
// moves the selection, and the painter can look in between.
// assertions: UNSAFE
// races: UNSAFE
#include <assert.h>
#include <pthread.h>

struct text {
  int size;
  int offset;
  int length;
} text = {10, 4, 6};

static void delete_selection(struct text *t) {
  t->size -= t->length;
  t->length = 0;
  t->offset = 0;
}

void *editor(void *unused) {
  delete_selection(&text);
  return 0;
}

void *painter(void *unused) {
  int end = text.offset + text.length;
  assert(end <= text.size);
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
