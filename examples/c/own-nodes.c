// Any number of threads, each with a list of its own.
// races: SAFE
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};

void *work(void *unused) {
  struct node *own = 0;
  while (__VERIFIER_nondet_int()) {
    struct node *node = malloc(sizeof(struct node));
    node->value = 0;
    node->next = own;
    own = node;
  }
  for (struct node *at = own; at; at = at->next) at->value++;
  return 0;
}

int main(void) {
  while (__VERIFIER_nondet_int()) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
  }
  return 0;
}
