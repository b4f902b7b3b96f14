// A jump back out of a block and into it again does end them.
// memory: UNSAFE
int *kept;

int main(void) {
    int i = 0;
again: {
    int x = 0;
    if (i == 0)
        kept = &x;
    else
        x = *kept;
}
    if (i++ < 2)
        goto again;
    return 0;
}
