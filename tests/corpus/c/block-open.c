// Variables of inner blocks, used by functions while the blocks are open.
//
// memory: SAFE
static void set(int *p) {
  *p = 1;
}

static void twice(int *p) {
  set(p);
  set(p);
}

int main(void) {
  for (int i = 0; i < 2; i++) {
    int x = 0;
    int *q = &x;
    twice(q);
    *q += 1;
    if (x) {
      int y;
      set(&y);
      x = y;
    }
  }
  return 0;
}
