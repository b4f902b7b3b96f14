// Arguments that no parameter is declared for: as they are promoted, handed on, taken twice, and through a pointer to a function.
// assertions: SAFE
// memory: SAFE
#include <assert.h>
#include <stdarg.h>

static int sum_list(int count, va_list list) {
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum += va_arg(list, int);
  return sum;
}

static int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int all = sum_list(count, list);
  va_end(list);
  return all;
}

static int twice(int count, ...) {
  va_list list, again;
  va_start(list, count);
  va_copy(again, list);
  int all = va_arg(list, int) + va_arg(again, int);
  va_end(again);
  va_end(list);
  return all;
}

static long last(const char *kinds, ...) {
  long value = 0;
  va_list list;
  va_start(list, kinds);
  for (; *kinds; kinds++) {
    switch (*kinds) {
    case 'i':
      value = va_arg(list, int);
      break;
    case 'l':
      value = va_arg(list, long);
      break;
    case 'p':
      *va_arg(list, int *) = 9;
      break;
    }
  }
  va_end(list);
  return value;
}

int main(void) {
  short small = -2;
  unsigned char letter = 200;
  int set = 0;
  int (*by_pointer)(int, ...) = sum;
  assert(sum(0) == 0 && sum(3, 1, small, letter) == 199);
  assert(by_pointer(2, 4, 5) == 9 && twice(1, 21) == 42);
  assert(last("ilp", 1, 1l << 40, &set) == 1l << 40 && set == 9);
  return 0;
}
