// Records, sealed interfaces and patterns.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class Records {
    record Point(int x, int y) { Point { if (x < 0) throw new IllegalArgumentException(); } int sum() { return x + y; } }
    sealed interface S permits A, B {} record A(int v) implements S {} record B() implements S {}
    static int ask(S s) { if (s instanceof A a) return a.v(); return -1; }
    public static void main(String[] args) {
        assert new Point(1, 2).sum() == 3;
        assert ask(new A(4)) == 4 && ask(new B()) == -1;
        try { new Point(-1, 0); assert false; } catch (IllegalArgumentException e) { }
    }
}
