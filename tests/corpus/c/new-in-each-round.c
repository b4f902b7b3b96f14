// Pointers that are set anew in each round, to variables and into arrays of that round.
// memory: SAFE
// assertions: SAFE
#include <assert.h>

int *kept;

int through(int **p) { return **p; }

int set(int i) {
    int x = i;
    kept = &x;
    return *kept;
}

int main(void) {
    int sum = 0, *p;
    for (int i = 0; i < 3; i++) {
        int a[2] = {i, i + 1};
        p = &a[1];
        sum += through(&p) + set(i);
        assert(p - a == 1 && p > a);
    }
    assert(sum == 9);
    return 0;
}
