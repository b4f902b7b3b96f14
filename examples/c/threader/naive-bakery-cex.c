// The bakery algorithm where taking a ticket is two steps.
// After Manna and Pnueli, Temporal Verification of Reactive Systems: Safety. THREADER, section 8, says that mutual exclusion does
// not hold without atomic assignments.
//
// The bug: the ticket is computed from the other's, and stored later. In between the other thread may take a ticket and go in.
// assertions: UNSAFE
// races: UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_int ticket1, ticket2;
int inside;

static void critical_section(void) {
  inside = inside + 1;
  assert(inside == 1);
  inside = inside - 1;
}

void *first(void *unused) {
  for (int round = 0; round < 3; round++) {
    ticket1 = ticket2 + 1;
    while (ticket2 != 0 && ticket1 > ticket2)
      ;
    critical_section();
    ticket1 = 0;
  }
  return 0;
}

void *second(void *unused) {
  for (int round = 0; round < 3; round++) {
    ticket2 = ticket1 + 1;
    while (ticket1 != 0 && ticket2 >= ticket1)
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
