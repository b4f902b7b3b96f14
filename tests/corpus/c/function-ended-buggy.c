// A variable of a function that has returned.
//
// memory: UNSAFE
int *f(void) {
  int x = 3;
  int *p = &x;
  return p;
}

int main(void) {
  int *p = f();
  return *p;
}
