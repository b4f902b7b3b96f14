// Threads, mutexes, conditions, once and keys of C11.
//
// assertions: SAFE
// races: SAFE
// locks: SAFE
// deadlock: SAFE
#include <threads.h>
#include <stdatomic.h>
#include <assert.h>
mtx_t m;
cnd_t c;
once_flag o = ONCE_FLAG_INIT;
tss_t k;
int n, inits;
atomic_int a;
atomic_flag fl = ATOMIC_FLAG_INIT;
void init(void) {
  inits++;
}

int f(void *p) {
  call_once(&o, init);
  tss_set(k, p);
  mtx_lock(&m);
  n++;
  cnd_broadcast(&c);
  mtx_unlock(&m);
  atomic_fetch_add_explicit(&a, 2, memory_order_relaxed);
  assert(tss_get(k) == p);
  return 7;
}

int main(void) {
  mtx_init(&m, mtx_plain);
  cnd_init(&c);
  tss_create(&k, 0);
  thrd_t s, t;
  int x;
  assert(thrd_create(&s, f, &n) == thrd_success);
  thrd_create(&t, f, &a);
  mtx_lock(&m);
  while (n < 2) cnd_wait(&c, &m);
  mtx_unlock(&m);
  thrd_join(s, &x);
  assert(x == 7);
  thrd_join(t, 0);
  assert(a == 4);
  assert(inits == 1);
  assert(!atomic_flag_test_and_set(&fl));
  assert(atomic_flag_test_and_set(&fl));
  atomic_flag_clear(&fl);
  return 0;
}
