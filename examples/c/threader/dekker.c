// Dekker's mutual exclusion algorithm.
// After Bar-David and Taubenfeld, DISC 2003; row Dekker of THREADER, table 1.
// assertions: SAFE
// races: SAFE
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
    while (flag[1]) {
      if (turn != 0) {
        flag[0] = false;
        while (turn != 0)
          ;
        flag[0] = true;
      }
    }
    critical_section();
    turn = 1;
    flag[0] = false;
  }
  return 0;
}

void *second(void *unused) {
  while (true) {
    flag[1] = true;
    while (flag[0]) {
      if (turn != 1) {
        flag[1] = false;
        while (turn != 1)
          ;
        flag[1] = true;
      }
    }
    critical_section();
    turn = 0;
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
