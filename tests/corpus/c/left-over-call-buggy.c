// A pointer to a local variable of a call is kept for the next call of the same function: that variable is another one.
// memory: UNSAFE
int *kept;

int next(int i) {
    int x = i, before = 0;
    if (kept)
        before = *kept;
    kept = &x;
    return before;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += next(i);
    return 0;
}
