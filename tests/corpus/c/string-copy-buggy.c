// The end of the text does not fit.
// memory: UNSAFE
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = malloc(3);
    if (!text)
        return 0;
    strcpy(text, "abc");
    free(text);
    return 0;
}
