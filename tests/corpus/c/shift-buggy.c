// A shift by more than there are bits.
//
// overflow: UNSAFE
int main(void) {
  int s = 33;
  return 1 << s;
}
