// A sum that wraps.
// assertions: UNSAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class OverflowWrong {
    static int twice(int x) { return x + x; }
    public static void main(String[] args) { assert twice(1073741824) > 0; }
}
