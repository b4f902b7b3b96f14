// A list of any length whose nodes are all positive.
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int value; struct node *next; } *list;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *add(void *unused) {
  while (__VERIFIER_nondet_int()) {
    struct node *one = malloc(sizeof *one);
    if (!one) return 0;
    one->value = 1;
    pthread_mutex_lock(&m);
    one->next = list;
    list = one;
    pthread_mutex_unlock(&m);
  }
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, add, 0);
  pthread_mutex_lock(&m);
  if (list) assert(list->value == 1);
  pthread_mutex_unlock(&m);
  return 0;
}
