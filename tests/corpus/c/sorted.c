// `qsort`, with a function that compares structs by one member.
// assertions: SAFE
// memory: SAFE
#include <assert.h>
#include <stdlib.h>

struct job {
  int priority;
  char name;
};

static int by_priority(const void *a, const void *b) {
  const struct job *first = a, *second = b;
  return (first->priority > second->priority) - (first->priority < second->priority);
}

int main(void) {
  struct job jobs[4] = {{3, 'c'}, {1, 'a'}, {4, 'd'}, {2, 'b'}};
  qsort(jobs, 4, sizeof jobs[0], by_priority);
  for (int i = 0; i < 4; i++)
    assert(jobs[i].priority == i + 1 && jobs[i].name == 'a' + i);
  return 0;
}
