// To add a large number to null gives no element of an array, wherever that is.
// memory: UNSAFE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 2)
        return 0;
    char *a = malloc(n), *q = a + 1, *p = 0;
    if (n == 5)
        p = q;
    else
        p[__VERIFIER_nondet_long()] = 1;
    *q = 1;
    free(a);
    return 0;
}
