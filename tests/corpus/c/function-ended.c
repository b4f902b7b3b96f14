// A variable of a function that has returned.
//
// memory: UNKNOWN
int *f(void) {
  int x = 3;
  int *p = &x;
  return p;
}

int main(void) {
  int *p = f();
  return *p;
}
