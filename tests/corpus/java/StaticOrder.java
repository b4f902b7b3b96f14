// Static parts run from top to bottom.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class StaticOrder {
    static int a = 1;
    static int b = a + 1;
    static final int[] cells = {a, b, a + b};
    static int c;
    static { c = cells[2] * 2; b = 7; }
    public static void main(String[] args) {
        assert a == 1 && b == 7 && c == 6 && cells[1] == 2;
    }
}
