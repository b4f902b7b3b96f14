// Threads of C11 give integers.
//
// assertions: SAFE
#include <threads.h>
#include <assert.h>
int f(void *p) {
  return 7;
}

int main(void) {
  thrd_t s;
  int x;
  thrd_create(&s, f, 0);
  thrd_join(s, &x);
  assert(x == 7);
  return 0;
}
