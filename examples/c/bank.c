// A deposit and a withdrawal, each under the lock.
// assertions: SAFE
// races: SAFE
// memory: SAFE
// locks: SAFE
#include <assert.h>
#include <pthread.h>

int balance = 100;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *deposit(void *unused) {
  pthread_mutex_lock(&lock);
  balance = balance + 50;
  pthread_mutex_unlock(&lock);
  return 0;
}

void *withdraw(void *unused) {
  pthread_mutex_lock(&lock);
  if (balance >= 50)
    balance = balance - 50;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, deposit, 0);
  pthread_create(&b, 0, withdraw, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(balance == 100);
  return 0;
}
