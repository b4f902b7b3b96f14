// Spin locks of the library.
//
// assertions: SAFE
// races: SAFE
// locks: SAFE
#include <pthread.h>
#include <assert.h>
pthread_spinlock_t l;
int x;
void *f(void *p) {
  if (pthread_spin_trylock(&l)) pthread_spin_lock(&l);
  x++;
  pthread_spin_unlock(&l);
  return 0;
}

int main(void) {
  pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
  pthread_t a, b;
  pthread_create(&a,0,f,0);
  pthread_create(&b,0,f,0);
  pthread_join(a,0);
  pthread_join(b,0);
  assert(x == 2);
  pthread_spin_destroy(&l);
  return 0;
}
