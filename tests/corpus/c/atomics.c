// Atomics of C11 and of the compiler, and a lock-free stack.
//
// assertions: SAFE
// races: SAFE
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#include <stdbool.h>
_Atomic int a;
atomic_uint u = 3;
atomic_bool b;
_Atomic(long) l;
struct node { int v; struct node *next; };
_Atomic(struct node *) top;
struct node n1, n2;
int plain;
void push(struct node *n) {
  struct node *o = atomic_load(&top);
  do {
    n->next = o;
  }
  while (!atomic_compare_exchange_weak(&top, &o, n));
}

void *f(void *p) {
  a++;
  a += 2;
  atomic_fetch_sub(&u, 1);
  push(p);
  __sync_fetch_and_or(&plain, 1);
  return 0;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s,0,f,&n1);
  pthread_create(&t,0,f,&n2);
  pthread_join(s,0);
  pthread_join(t,0);
  assert(a == 6 && u == 1);
  struct node *x = top;
  assert(x && x->next && !x->next->next);
  assert(__sync_lock_test_and_set(&plain, 5) == 1);
  __sync_lock_release(&plain);
  assert(plain == 0);
  int e = 3;
  assert(!__atomic_compare_exchange_n(&plain, &e, 9, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) && e == 0);
  assert(__atomic_add_fetch(&plain, 2, __ATOMIC_SEQ_CST) == 2);
  assert(__sync_val_compare_and_swap(&plain, 2, 7) == 2 && plain == 7);
  l = 5;
  assert(atomic_exchange(&l, 6) == 5);
  return 0;
}
