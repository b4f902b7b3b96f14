// Products that have just 64 bits.
//
// overflow: SAFE
int main(void) {
  long a = -3, b = 3074457345618258602, least = -9223372036854775807 - 1;
  return a * b > 0 * least && least * 1 < 0;
}
