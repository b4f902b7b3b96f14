// The sum is as large as it can be, and one of the threads adds to it.
#include <pthread.h>

int sum = 2147483647;

void *add(void *unused) {
  sum = sum + 1;
  return 0;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, add, 0);
  pthread_join(other, 0);
  return 0;
}
