// Szymanski's mutual exclusion algorithm, for two threads.
// After Szymanski, ICS 1988; row Szymanski of THREADER, table 1.
//
// A thread's flag: 0 outside, 1 wants in, 2 waits for others in the waiting room, 3 in the doorway, 4 inside with the door
// closed.
// assertions: SAFE
// races: SAFE
// memory: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_int flag1, flag2;
int inside;

static void critical_section(void) {
  inside = inside + 1;
  assert(inside == 1);
  inside = inside - 1;
}

void *first(void *unused) {
  while (true) {
    flag1 = 1;
    while (flag2 >= 3)
      ;
    flag1 = 3;
    if (flag2 == 1) {
      flag1 = 2;
      while (flag2 != 4)
        ;
    }
    flag1 = 4;
    // The first thread has nobody of a lower number to wait for.
    critical_section();
    int other = flag2;
    while (other == 2 || other == 3)
      other = flag2;
    flag1 = 0;
  }
  return 0;
}

void *second(void *unused) {
  while (true) {
    flag2 = 1;
    while (flag1 >= 3)
      ;
    flag2 = 3;
    if (flag1 == 1) {
      flag2 = 2;
      while (flag1 != 4)
        ;
    }
    flag2 = 4;
    while (flag1 >= 2)
      ;
    critical_section();
    flag2 = 0;
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
