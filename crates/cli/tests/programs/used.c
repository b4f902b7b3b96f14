// Whoever has the lock may find a guest; when nobody has it, there is none.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int used;
int rounds;

void *guest(void *unused) {
  pthread_mutex_lock(&m);
  used++;
  used--;
  pthread_mutex_unlock(&m);
  return 0;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, guest, 0);
  pthread_create(&second, 0, guest, 0);
  while (rounds < 3)
    rounds++;
  pthread_mutex_lock(&m);
  assert(used == 0);
  pthread_mutex_unlock(&m);
  return 0;
}
