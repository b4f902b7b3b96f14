// Whoever does not get the lock at once leaves the counter alone. Main makes the lock.
// races: SAFE
#include <pthread.h>

int counter;
pthread_mutex_t lock;

static int take(void) {
  if (pthread_mutex_trylock(&lock) != 0) return -1;
  return 0;
}

void *work(void *unused) {
  int taken = take();
  if (taken == 0) {
    counter++;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

int main(void) {
  pthread_mutex_init(&lock, 0);
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  counter = 0;
  return 0;
}
