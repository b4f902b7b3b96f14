// Peterson's algorithm where each thread takes the turn for itself: both get in.
// assertions: UNSAFE
// races: UNSAFE
// memory: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_bool flag[2];
atomic_int turn;
int inside;

static void critical_section(void) {
  inside = inside + 1;
  assert(inside == 1);
  inside = inside - 1;
}

void *first(void *unused) {
  while (true) {
    flag[0] = true;
    turn = 0;
    while (flag[1] && turn == 1)
      ;
    critical_section();
    flag[0] = false;
  }
  return 0;
}

void *second(void *unused) {
  while (true) {
    flag[1] = true;
    turn = 1;
    while (flag[0] && turn == 0)
      ;
    critical_section();
    flag[1] = false;
  }
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
