// A lock for readers and writers.
//
// assertions: SAFE
// races: SAFE
// locks: SAFE
// deadlock: SAFE
#include <pthread.h>
#include <assert.h>
pthread_rwlock_t l;
int x, y;
void *wr(void *p) {
  pthread_rwlock_wrlock(&l);
  x++;
  y++;
  pthread_rwlock_unlock(&l);
  return 0;
}

void *rd(void *p) {
  pthread_rwlock_rdlock(&l);
  assert(x == y);
  pthread_rwlock_unlock(&l);
  return 0;
}

int main(void) {
  pthread_rwlock_init(&l, 0);
  pthread_t a, b, c;
  pthread_create(&a,0,wr,0);
  pthread_create(&b,0,rd,0);
  pthread_create(&c,0,rd,0);
  pthread_join(a,0);
  pthread_join(b,0);
  pthread_join(c,0);
  pthread_rwlock_destroy(&l);
  return 0;
}
