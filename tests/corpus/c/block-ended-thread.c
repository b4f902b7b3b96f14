// A thread is given a variable of a block that ends before the thread does.
//
// memory: UNKNOWN
#include <pthread.h>
void *f(void *p) {
  *(int *)p = 1;
  return 0;
}

int main(void) {
  pthread_t t;
  {
    int x = 0;
    pthread_create(&t, 0, f, &x);
  }
  pthread_join(t, 0);
  return 0;
}
