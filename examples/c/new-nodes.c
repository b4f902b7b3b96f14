// Threads fill new nodes without a lock and hang them into a list with it: nobody knows a node before that.
// races: SAFE
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};

struct node *head;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fill(struct node *node, int value) {
  node->value = value;
  node->next = 0;
}

void *insert(void *unused) {
  struct node *node = malloc(sizeof(struct node));
  fill(node, 1);
  pthread_mutex_lock(&lock);
  node->next = head;
  head = node;
  pthread_mutex_unlock(&lock);
  return 0;
}

void *increment(void *unused) {
  pthread_mutex_lock(&lock);
  for (struct node *at = head; at; at = at->next) at->value++;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  while (__VERIFIER_nondet_int()) {
    pthread_t a, b;
    pthread_create(&a, 0, insert, 0);
    pthread_create(&b, 0, increment, 0);
  }
  return 0;
}
