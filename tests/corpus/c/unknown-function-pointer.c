// A function without a body changes what it is given a pointer to, and not what the pointer might have been to.
//
// assertions: SAFE
#include <assert.h>
void change(int *p);
int __VERIFIER_nondet_int(void);
int x, y;
int main(void) {
  int *p = __VERIFIER_nondet_int() ? &x : &y;
  if (p == &x) {
    change(p);
    assert(y == 0);
  }
  return 0;
}
