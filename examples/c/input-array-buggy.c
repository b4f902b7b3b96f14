// Readings of two sensors, which may be anything, are kept in an array; a thread that adds them up forgets that one of
// them may be missing, which is said by a negative number.
//
// assertions: UNSAFE
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int readings[2];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *sensor(void *argument) {
  int which = (int)(long)argument;
  pthread_mutex_lock(&lock);
  readings[which] = __VERIFIER_nondet_int();
  if (readings[which] > 1000) readings[which] = 1000;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, sensor, (void *)0L);
  pthread_create(&second, 0, sensor, (void *)1L);
  pthread_join(first, 0);
  pthread_join(second, 0);
  assert(readings[0] >= 0 && readings[1] >= 0);
  return 0;
}
