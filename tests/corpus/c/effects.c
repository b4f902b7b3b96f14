// Operators with effects, and what is not evaluated.
//
// assertions: SAFE
#include <assert.h>
int g;
int t(void) {
  g++;
  return 1;
}

int f(void) {
  g += 10;
  return 0;
}

int main(void) {
  int a, b, c;
  a = b = c = 5;
  assert(a == 5 && b == 5);
  (t() || f());
  assert(g == 1);
  (f() && t());
  assert(g == 11);
  int x = t() ? 7 : f();
  assert(x == 7 && g == 12);
  int arr[4] = {0}, i = 0;
  arr[i++] = i;
  arr[i] += i++ ? 1 : 0;
  int *p = arr;
  *p++ = 4;
  assert(p == arr + 1);
  *++p = 9;
  assert(arr[2] == 9);
  assert((*p)++ == 9 && arr[2] == 10);
  a += b -= 2;
  assert(a == 8 && b == 3);
  char ch = 127;
  ch++;
  assert(ch == -128);
  unsigned char uc = 0;
  uc--;
  assert(uc == 255);
  uc += 300;
  assert(uc == 43);
  assert(sizeof(t()) == 4 && g == 12);
  return 0;
}
