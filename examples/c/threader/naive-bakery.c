// The bakery algorithm where taking a ticket is one step.
// After Manna and Pnueli, Temporal Verification of Reactive Systems: Safety; row NaïveBakery of THREADER, table 1.
//
// Tickets of C wrap around some day, and then the algorithm fails: here each thread goes through three times.
// assertions: SAFE
// races: SAFE
// memory: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_int ticket1, ticket2;

void __VERIFIER_atomic_take_ticket1(void) { ticket1 = ticket2 + 1; }

void __VERIFIER_atomic_take_ticket2(void) { ticket2 = ticket1 + 1; }

bool __VERIFIER_atomic_is_turn_of_first(void) { return ticket2 == 0 || ticket1 <= ticket2; }

bool __VERIFIER_atomic_is_turn_of_second(void) { return ticket1 == 0 || ticket2 < ticket1; }

int inside;

static void critical_section(void) {
  inside = inside + 1;
  assert(inside == 1);
  inside = inside - 1;
}

void *first(void *unused) {
  for (int round = 0; round < 3; round++) {
    __VERIFIER_atomic_take_ticket1();
    while (!__VERIFIER_atomic_is_turn_of_first())
      ;
    critical_section();
    ticket1 = 0;
  }
  return 0;
}

void *second(void *unused) {
  for (int round = 0; round < 3; round++) {
    __VERIFIER_atomic_take_ticket2();
    while (!__VERIFIER_atomic_is_turn_of_second())
      ;
    critical_section();
    ticket2 = 0;
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
