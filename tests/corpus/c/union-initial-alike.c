// Initial values of other members than the first.
//
// assertions: UNKNOWN
#include <assert.h>
union u { char c[4]; int i; } x = { .i = 5 };
union v { int a; unsigned b; } y = { .b = 7 };
struct s { int k; union { long l; void *p; } d; } z = { 1, { .p = &y } };
int main(void) {
  assert(y.a == 7);
  assert(z.k == 1);
  assert(((union v *)z.d.p)->a == 7);
  assert(x.i == 5);
  return 0;
}
