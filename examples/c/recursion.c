// Calls are laid out in their callers, also those of functions that call themselves. Two threads add up a tree by
// recursion, each its half, under a lock.
// assertions: SAFE
// races: SAFE
// memory: SAFE
// locks: SAFE
// deadlock: SAFE
#include <assert.h>
#include <pthread.h>

struct node { int value; struct node *left, *right; };

struct node leaves[4] = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}};
struct node halves[2] = {{10, &leaves[0], &leaves[1]}, {20, &leaves[2], &leaves[3]}};

int total;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int sum(struct node *at) {
  if (at == 0)
    return 0;
  return at->value + sum(at->left) + sum(at->right);
}

void *worker(void *half) {
  int found = sum(half);
  pthread_mutex_lock(&lock);
  total += found;
  pthread_mutex_unlock(&lock);
  return 0;
}

unsigned is_odd(unsigned n);
unsigned is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
unsigned is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, &halves[0]);
  pthread_create(&b, 0, worker, &halves[1]);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(total == 40);
  // Constants say how deep this goes.
  assert(is_even(30));
  return 0;
}
