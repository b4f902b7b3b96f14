// The block is not atomic, so that the invariant does not hold in between.
/*@ invariant sum == left + right; */
// assertions: UNSAFE
// native: what an annotation says is not in the compiled program
#include <pthread.h>

int left = 5, right, sum = 5;

void *move(void *unused) {
  left = left - 1;
  right = right + 1;
  return 0;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, move, 0);
  pthread_join(a, 0);
  return 0;
}
