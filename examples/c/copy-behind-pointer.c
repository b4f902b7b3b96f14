// A struct is copied to where a pointer points to. The pointer is looked at once: whoever changes it while the copy is
// under way does not divide the copy among two objects.
// assertions: SAFE
// races: UNSAFE
#include <assert.h>
#include <pthread.h>

struct pair {
  int low, high;
};

struct pair first, second, full = {1, 1};
struct pair *place = &first;

void *fill(void *unused) {
  *place = full;
  return 0;
}

void *turn(void *unused) {
  place = &second;
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, fill, 0);
  pthread_create(&b, 0, turn, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(first.low == first.high);
  assert(second.low == second.high);
  return 0;
}
