// An increment beyond the greatest integer.
//
// overflow: UNSAFE
#include <limits.h>
int main(void) {
  int i = INT_MAX;
  i++;
  return 0;
}
