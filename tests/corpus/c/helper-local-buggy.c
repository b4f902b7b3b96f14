// The function that created the thread has returned, and with it went what the thread was given.
//
// memory: UNSAFE
#include <pthread.h>
pthread_t t;
void *f(void *p) {
  (*(int *)p)++;
  return 0;
}

void start(void) {
  int x = 0;
  pthread_create(&t, 0, f, &x);
}

int main(void) {
  start();
  pthread_join(t, 0);
  return 0;
}
