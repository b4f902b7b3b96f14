// What has been set stays as it is: two looks at the last element of an array as long as an input says see the same.
//
// assertions: SAFE
#include <assert.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1)
        return 0;
    int *a = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        a[i] = 7;
    int x = a[n - 1];
    assert(a[n - 1] == x);
    return 0;
}
