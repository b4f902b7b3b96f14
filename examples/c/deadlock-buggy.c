// Two philosophers take their forks in different orders, and main waits for both of them.
// deadlock: UNSAFE
// races: SAFE
// locks: SAFE
#include <pthread.h>

pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
int meals;

void *first(void *unused) {
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
  meals++;
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);
  return 0;
}

void *second(void *unused) {
  pthread_mutex_lock(&right);
  pthread_mutex_lock(&left);
  meals++;
  pthread_mutex_unlock(&left);
  pthread_mutex_unlock(&right);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
