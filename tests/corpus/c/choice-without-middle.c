// `a ?: b` evaluates `a` once, however it is spaced.
// assertions: SAFE
#include <assert.h>

int set = 3, calls;

int count(void) {
  calls++;
  return 5;
}

int main(void) {
  int a = set?:7;
  int b = count()?:9;
  int c = 0 ?:2;
  int d = set ? : 7;
  assert(a == 3 && b == 5 && c == 2 && d == 3 && calls == 1);
  assert((0?:0?:4) == 4);
  return 0;
}
