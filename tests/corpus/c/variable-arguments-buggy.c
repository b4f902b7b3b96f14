// The function takes one more argument than it is given.
// memory: UNSAFE
#include <stdarg.h>

static int sum(int count, ...) {
  int all = 0;
  va_list list;
  va_start(list, count);
  for (int i = 0; i <= count; i++)
    all += va_arg(list, int);
  va_end(list);
  return all;
}

int main(void) {
  return sum(2, 1, 2);
}
