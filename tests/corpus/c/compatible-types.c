// Types that are compared before the program runs: qualifiers of the whole do not count, those behind a pointer do.
// assertions: SAFE
#include <assert.h>

#define SAME(a, b) __builtin_types_compatible_p(typeof(a), typeof(b))
#define IS_ARRAY(a) (!__builtin_types_compatible_p(typeof(a), typeof(&(a)[0])))

struct pair {
  int first, second;
};

int x, numbers[3], *pointer = numbers;
unsigned y;
const int fixed = 1;
struct pair pair;

int main(void) {
  assert(SAME(x, fixed) && !SAME(x, y) && !SAME(x, pair));
  assert(IS_ARRAY(numbers) && !IS_ARRAY(pointer));
  assert(__builtin_types_compatible_p(int[], int[5]) && !__builtin_types_compatible_p(int[4], int[5]));
  assert(!__builtin_types_compatible_p(int *, const int *));
  assert(__builtin_types_compatible_p(int (*)(int, char), int (*)(int, char)));
  assert(__builtin_choose_expr(SAME(x, y), 1, 2) == 2);
  return 0;
}
