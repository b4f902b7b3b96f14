// A product that has more than 64 bits.
//
// overflow: UNSAFE
int main(void) {
  long a = -4, b = 3074457345618258602;
  return a * b > 0;
}
