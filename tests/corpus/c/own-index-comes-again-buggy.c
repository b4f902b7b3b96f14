// An index that is compared in another width than its own comes to the same value again.
//
// races: UNSAFE
#include <pthread.h>
int cells[2];

void *worker(void *argument) {
  cells[(long)argument] = 1;
  return 0;
}

int main(void) {
  int n = 1000;
  for (_Bool i = 0; i < n; i++) {
    pthread_t t;
    pthread_create(&t, 0, worker, (void *)(long)i);
  }
  return 0;
}
