// What a thread reads and does not use it has read all the same.
// races: UNSAFE
// native: the compiler leaves out a load of which nobody uses the value
#include <pthread.h>

int shared;

void *look(void *unused) {
  (void)(shared && 0);
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, look, 0);
  shared = 1;
  pthread_join(thread, 0);
  return 0;
}
