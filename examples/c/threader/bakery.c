// Lamport's bakery algorithm, whole: taking a ticket is several steps.
// After Lamport, CACM 1974; row Bakery of THREADER, table 1.
//
// Tickets of C wrap around some day, and then the algorithm fails: here each thread goes through three times.
// assertions: SAFE
// races: SAFE
// memory: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_bool choosing1, choosing2;
atomic_int number1, number2;
int inside;

static void critical_section(void) {
  inside = inside + 1;
  assert(inside == 1);
  inside = inside - 1;
}

void *first(void *unused) {
  for (int round = 0; round < 3; round++) {
    choosing1 = true;
    number1 = number2 + 1;
    choosing1 = false;
    while (choosing2)
      ;
    int other = number2;
    while (other != 0 && number1 > other)
      other = number2;
    critical_section();
    number1 = 0;
  }
  return 0;
}

void *second(void *unused) {
  for (int round = 0; round < 3; round++) {
    choosing2 = true;
    number2 = number1 + 1;
    choosing2 = false;
    while (choosing1)
      ;
    int other = number1;
    while (other != 0 && number2 >= other)
      other = number1;
    critical_section();
    number2 = 0;
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
