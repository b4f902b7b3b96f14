// A variable of a block that has ended.
//
// memory: UNSAFE
int main(void) {
  int *p;
  {
    int x = 3;
    p = &x;
  }
  return *p;
}
