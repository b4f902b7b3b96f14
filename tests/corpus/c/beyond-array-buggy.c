// A pointer walks beyond an array.
//
// memory: UNSAFE
int main(void) {
  int a[3] = {0};
  int *p = a;
  for (int i = 0; i <= 3; i++) *p++ = i;
  return 0;
}
