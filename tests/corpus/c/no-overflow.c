// Conversions and unsigned arithmetic are no overflow.
//
// overflow: SAFE
int main(void) {
  unsigned char c = 255;
  c = c + 1;
  unsigned u = 0;
  u -= 1;
  short s = 32767;
  s++;
  long l = 2147483647;
  l++;
  signed char d = -128;
  d = -d;
  int i = 5;
  i <<= 3;
  return (int)c;
}
