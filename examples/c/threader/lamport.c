// Lamport's fast mutual exclusion algorithm, for two threads.
// After Lamport, ACM TOCS 1987; row Lamport of THREADER, table 1.
//
// Without contention a thread gets in after two stores and two loads of x and y.
// assertions: SAFE
// races: SAFE
// memory: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_bool wants1, wants2;
atomic_int x, y;
int inside;

static void critical_section(void) {
  inside = inside + 1;
  assert(inside == 1);
  inside = inside - 1;
}

void *first(void *unused) {
start:
  while (true) {
    wants1 = true;
    x = 1;
    if (y != 0) {
      wants1 = false;
      while (y != 0)
        ;
      goto start;
    }
    y = 1;
    if (x != 1) {
      wants1 = false;
      while (wants2)
        ;
      if (y != 1) {
        while (y != 0)
          ;
        goto start;
      }
    }
    critical_section();
    y = 0;
    wants1 = false;
  }
  return 0;
}

void *second(void *unused) {
start:
  while (true) {
    wants2 = true;
    x = 2;
    if (y != 0) {
      wants2 = false;
      while (y != 0)
        ;
      goto start;
    }
    y = 2;
    if (x != 2) {
      wants2 = false;
      while (wants1)
        ;
      if (y != 2) {
        while (y != 0)
          ;
        goto start;
      }
    }
    critical_section();
    y = 0;
    wants2 = false;
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
