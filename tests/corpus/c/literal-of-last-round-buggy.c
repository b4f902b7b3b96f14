// A literal in a loop is another object in each round: what was pointed to in the last one is gone.
// memory: UNSAFE
int main(void) {
    int *p = 0, s = 0;
    for (int i = 0; i < 2; i++) {
        if (p)
            s = *p;
        else
            p = &(int){i};
    }
    return s;
}
