// A `switch` jumps into a block, past the declaration of a variable: another one in each round.
// memory: UNSAFE
int *kept;

int main(void) {
    for (int i = 0; i < 3; i++)
        switch (i) {
            int x;
        case 0:
            kept = &x;
            break;
        default:
            *kept = 1;
        }
    return 0;
}
