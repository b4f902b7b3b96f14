// A number of bytes that may be no whole number of elements is not followed: with n == 1 one byte of `a` is set, and the assertion
// fails.
// assertions: UNKNOWN
#include <assert.h>
#include <string.h>
int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 2)
        return 0;
    int a[1] = {0}, b[1] = {0x01010101};
    memcpy(a, b, n);
    assert(a[0] == 0);
    return 0;
}
