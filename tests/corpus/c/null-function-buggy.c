// A pointer to a function that was never set.
//
// memory: UNSAFE
int (*f)(int);
int main(void) {
  return f(1);
}
