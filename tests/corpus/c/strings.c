// String literals and arrays of characters.
//
// assertions: SAFE
// memory: SAFE
#include <assert.h>
const char *names[] = { "ab", "cde" };
char arr[] = "hello";
char pad[4] = "abcd";
static int len(const char *s) {
  int n = 0;
  while (*s++) n++;
  return n;
}

int main(void) {
  assert(len(names[1]) == 3);
  assert(sizeof arr == 6 && arr[4] == 'o');
  assert(pad[3] == 'd');
  assert("xyz"[1] == 'y');
  return 0;
}
