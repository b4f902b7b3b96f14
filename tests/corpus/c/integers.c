// Conversions, promotions, bit-fields, enumerations and wrap-around.
//
// assertions: SAFE
// overflow: UNSAFE
#include <assert.h>
#include <limits.h>
#include <stdint.h>
enum e { A = -1, B = 5 };
struct bf { unsigned a : 3; int b : 4; unsigned c : 1; };
int main(void) {
  unsigned u = 0;
  u--;
  assert(u == UINT_MAX);
  assert(-1 > 0u);
  signed char c = 200;
  assert(c == -56);
  assert((-7) / 2 == -3 && (-7) % 2 == -1);
  assert((unsigned char)~0 == 255);
  assert(1 << 4 == 16);
  assert((-8) >> 1 == -4);
  uint64_t big = UINT64_MAX;
  assert(big + 1 == 0);
  assert((int64_t)big == -1);
  _Bool b = 256;
  assert(b == 1);
  struct bf f = {0};
  f.a = 9;
  f.b = 7;
  f.b++;
  f.c = 3;
  assert(f.a == 1 && f.b == -8 && f.c == 1);
  enum e x = A;
  assert(x < 0 && B == 5);
  long long ll = INT_MAX;
  ll++;
  assert(ll == 2147483648LL);
  short s = 40000;
  assert(s == -25536);
  int i = INT_MAX;
  i = i + 1;
  assert(i == INT_MIN);
  assert('\xff' == -1 && sizeof('a') == 4);
  int y = (3, 4);
  assert(y == 4);
  int z = 5;
  z <<= 2;
  z ^= 1;
  assert(z == 21);
  assert(!!z + 0 == 1);
  unsigned short us = 65535;
  assert(us * us == -131071);
  return 0;
}
