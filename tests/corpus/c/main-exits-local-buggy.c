// When main ends as a thread, the process goes on and its variables are gone.
//
// memory: UNSAFE
#include <pthread.h>
void *f(void *p) {
  *(int *)p = 1;
  return 0;
}

int main(void) {
  int x = 0;
  pthread_t t;
  pthread_create(&t, 0, f, &x);
  pthread_exit(0);
}
