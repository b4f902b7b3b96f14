// Two threads put an element each on a list, without a lock: one of them may get lost.
#include <pthread.h>
#include <stdlib.h>

extern void reach_error(void);

struct node {
  int value;
  struct node *next;
};

struct node *head;
int one = 1, two = 2, seen[4];

static void push(struct node *n) {
  n->next = head;
  head = n;
}

void *worker(void *value) {
  struct node *n = malloc(sizeof *n);
  n->value = *(int *)value;
  push(n);
  seen[n->value] = 1;
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, &one);
  pthread_create(&b, 0, worker, &two);
  pthread_join(a, 0);
  pthread_join(b, 0);
  if (head->next == 0)
    reach_error();
  return 0;
}
