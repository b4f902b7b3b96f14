// A loop that counts with a number which is cut off does not end.
//
// assertions: UNSAFE
#include <pthread.h>
#include <assert.h>
int n;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *p) {
  pthread_mutex_lock(&m);
  n++;
  assert(n < 5);
  pthread_mutex_unlock(&m);
  return 0;
}

int main(void) {
  pthread_t t;
  for (int i = 0; (unsigned char)i < 3; i += 256) pthread_create(&t, 0, f, 0);
  return 0;
}
