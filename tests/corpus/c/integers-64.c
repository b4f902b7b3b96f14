// Unsigned integers of 64 bits.
//
// assertions: SAFE
#include <assert.h>
#include <stdint.h>
int main(void) {
  uint64_t a = 0xffffffffffffffffULL, b = 10;
  assert(a / b == 1844674407370955161ULL);
  assert(a % b == 5);
  assert(a > b);
  assert((a >> 63) == 1);
  assert((int64_t)(a >> 1) == INT64_MAX);
  uint64_t c = a * a;
  assert(c == 1);
  assert((a ^ b) == 18446744073709551605ULL);
  int64_t m = INT64_MIN;
  assert(m < 0 && m / 2 == -4611686018427387904LL);
  assert((uint64_t)m == 9223372036854775808ULL);
  assert(-(m + 1) == INT64_MAX);
  volatile uint64_t v = a;
  assert(v + 2 == 1);
  assert((uint32_t)a == 4294967295u);
  uint64_t h = 14695981039346656037ULL;
  h ^= 97;
  h *= 1099511628211ULL;
  assert(h == 12638187200555641996ULL);
  return 0;
}
