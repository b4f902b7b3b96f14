// Each round of a loop has a variable of its own, also before its declaration is come to.
// memory: UNSAFE
int main(void) {
    int sum = 0, *kept = 0;
    for (int i = 0; i < 3; i++) {
        if (kept)
            sum += *kept;
        int x = i;
        kept = &x;
    }
    return 0;
}
