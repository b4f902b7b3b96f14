// A function of the program's own is that function, whatever its name.
// assertions: SAFE
#include <assert.h>
#include <stddef.h>

size_t strlen(const char *s) { return 7; }

int main(void) {
    assert(strlen("a") == 7);
    return 0;
}
