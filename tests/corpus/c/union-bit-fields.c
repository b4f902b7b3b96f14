// Bit-fields beside the word that they are in: not followed.
//
// assertions: UNKNOWN
#include <assert.h>
union { struct { unsigned a : 1, b : 3; } f; unsigned all; } u;
int main(void) {
  u.all = 3;
  assert(u.f.b == 0);
  return 0;
}
