// Peterson's algorithm with plain variables: right under sequential consistency, and a data race all the same.
// assertions: SAFE
// races: UNSAFE
#include <assert.h>
#include <pthread.h>

int wants[2], turn;
int inside;

void enter(int me) {
  wants[me] = 1;
  turn = 1 - me;
  while (wants[1 - me] && turn == 1 - me)
    ;
}

void *worker(void *arg) {
  int me = *(int *)arg;
  enter(me);
  inside++;
  assert(inside == 1);
  inside--;
  wants[me] = 0;
  return 0;
}

int main(void) {
  pthread_t t[2];
  int number[2] = { 0, 1 };
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], 0, worker, &number[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], 0);
  return 0;
}
