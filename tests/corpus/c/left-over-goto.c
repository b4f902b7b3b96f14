// A jump back inside of a block does not end the lives of its variables: the pointer is one to the same variable.
// memory: SAFE
int main(void) {
    int *kept = 0, i = 0;
    {
    again:;
        int x;
        if (kept)
            *kept = 3;
        kept = &x;
        if (i++ < 2)
            goto again;
    }
    return 0;
}
