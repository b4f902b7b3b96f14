// Seven is shifted into the sign.
// overflow: UNSAFE
int main(void) {
  int value = 7, count = 29;
  return value << count;
}
