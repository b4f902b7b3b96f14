// A variable that is defined elsewhere may have any value.
// assertions: UNSAFE
#include <assert.h>

extern int configured;

int main(void) {
  assert(configured != 7);
  return 0;
}
