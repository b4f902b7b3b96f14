// Functions that walk over strings do what the library does.
// assertions: SAFE
// memory: SAFE
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char a[10];
    assert(strcpy(a, "hello") == a && strlen(a) == 5 && a[5] == 0);
    assert(strcmp(a, "hello") == 0 && strcmp("abc", "abd") < 0 && strcmp("b", "abc") > 0 && strcmp("", "a") < 0);
    assert(strcmp("\200", "a") > 0);
    assert(strncmp("abc", "abX", 2) == 0 && strncmp("abc", "abX", 3) > 0 && strncmp("ab", "ab", 9) == 0);
    assert(strnlen(a, 3) == 3 && strnlen(a, 8) == 5);

    char b[8] = "ab";
    assert(strcat(b, "cd") == b && strcmp(b, "abcd") == 0);
    strncat(b, "efgh", 2);
    assert(strcmp(b, "abcdef") == 0 && memcmp(b, "abcdeX", 5) == 0 && memcmp(b, "abcdeX", 6) > 0);
    strncpy(b, "xy", 5);
    assert(b[1] == 'y' && b[2] == 0 && b[4] == 0 && b[5] == 'f');

    assert(strchr(a, 'l') == a + 2 && strrchr(a, 'l') == a + 3 && strchr(a, 'z') == 0 && strchr(a, 0) == a + 5);
    assert(strstr(a, "llo") == a + 2 && strstr(a, "lo!") == 0 && strstr(a, "") == a);
    assert(memchr(a, 'o', 4) == 0 && memchr(a, 'o', 5) == a + 4);
    assert(atoi("  -42x") == -42 && atoi("+7") == 7 && atoi("x") == 0);

    char *copy = strdup("xyz");
    if (copy) {
        assert(strlen(copy) == 3 && copy[2] == 'z');
        free(copy);
    }
    return 0;
}
