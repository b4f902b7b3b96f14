// Main returns what a thread may still write.
// races: UNSAFE
#include <pthread.h>

int shared;

void *work(void *unused) {
  shared = 1;
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  return shared;
}
