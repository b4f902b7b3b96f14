// Arrays of arrays, and pointers to inner ones; the last index is wrong.
//
// assertions: SAFE
// memory: UNSAFE
#include <assert.h>
int a[3][4][2];
int main(void) {
  for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) for (int k = 0; k < 2; k++) a[i][j][k] = i * 100 + j * 10 + k;
  int (*p)[2] = a[1];
  assert(p[2][1] == 121);
  int *q = &a[2][0][0];
  assert(q[5] == 221 || 1);
  int (*r)[4][2] = a + 2;
  assert((*r)[3][0] == 230);
  return a[3][0][0];
}
