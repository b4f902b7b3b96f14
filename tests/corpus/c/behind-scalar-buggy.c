// Behind a variable that is no array there is nothing of it.
// memory: UNSAFE
int main(void) {
    int x = 3, *p = &x;
    p++;
    *p = 1;
    return 0;
}
