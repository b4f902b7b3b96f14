// Bytes of an integer by way of a union: not followed.
//
// assertions: UNKNOWN
#include <assert.h>
union w { unsigned char b[4]; unsigned x; };
int main(void) {
  union w w;
  w.x = 0x01020304;
  assert(w.b[0] == 1);
  return 0;
}
