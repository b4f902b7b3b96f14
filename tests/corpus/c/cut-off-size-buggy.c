// The number of bytes is cut off to eight bits: 64 elements of four bytes are none at all.
// memory: UNSAFE
#include <stdlib.h>
unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n < 1 || n > 64)
        return 0;
    int *a = malloc((unsigned char)(n * sizeof(int)));
    a[n - 1] = 1;
    free(a);
    return 0;
}
