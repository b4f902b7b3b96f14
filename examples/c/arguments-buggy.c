// A program may be called with anything.
// assertions: UNSAFE
#include <assert.h>

int main(int argc, char **argv) {
  assert(argc != 3);
  return 0;
}
