// The characters have no end, so that the length is looked for behind them.
// memory: UNSAFE
#include <string.h>

int main(void) {
    char text[3] = {'a', 'b', 'c'};
    return (int)strlen(text);
}
