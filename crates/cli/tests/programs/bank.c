// The withdrawal forgets the lock.
#include <pthread.h>

extern void reach_error(void);
int balance = 100;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *deposit(void *unused) {
  pthread_mutex_lock(&lock);
  balance = balance + 50;
  pthread_mutex_unlock(&lock);
  return 0;
}

void *withdraw(void *unused) {
  if (balance >= 50)
    balance = balance - 50;
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, deposit, 0);
  pthread_create(&b, 0, withdraw, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  if (balance != 100)
    reach_error();
  return 0;
}
