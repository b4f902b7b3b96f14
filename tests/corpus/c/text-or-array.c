// What is changed is the array, and the text is only read.
// memory: SAFE
// assertions: SAFE
#include <assert.h>

int main(int argc, char **argv) {
  char array[] = "abc";
  const char *read = argc > 1 ? "abc" : array;
  char *written = array;
  written[0] = read[1];
  assert(array[0] == 'b');
  return 0;
}
