// switch with fall-through and ranges, goto, nested loops, a loop that a switch jumps into.
//
// assertions: SAFE
#include <assert.h>
static int f(int n) {
  int r = 0;
  switch (n) {
    case 0: r += 1;
    case 1: r += 10;
    break;
    case 2 ... 4: r = 5;
    goto out;
    default: {
      for (int i = 0; ; i++) {
        if (i == 3) break;
        if (i == 1) continue;
        r += 100;
      }
    }
  }
  r += 1000;
  out: return r;
}

static int counter(void) {
  static int c = 5;
  return c++;
}

int main(void) {
  assert(f(0) == 1011);
  assert(f(1) == 1010);
  assert(f(3) == 5);
  assert(f(9) == 1200);
  counter();
  assert(counter() == 6);
  int i = 0;
  do {
    i++;
    if (i == 2) continue;
  }
  while (i < 5);
  assert(i == 5);
  switch (3) while (i < 10) {
    case 3: i += 2;
  }
  assert(i == 11);
  return 0;
}
