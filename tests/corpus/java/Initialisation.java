// Fields are set up in the order of constructors, and methods see what there is so far.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class Initialisation {
    static class A { static int n = 5; int v = n; { n++; } A() { v += 100; init(); } void init() { } }
    static class B extends A { int w = 7; int seen; void init() { seen = w; w = 9; } }
    static int k = 3; static final int K = k * 2; static int[] tab = new int[K]; static { for (int i = 0; i < tab.length; i++) tab[i] = i * i; }
    interface Const { int X = 4; }
    static class C implements Const { }
    public static void main(String[] args) throws Exception {
        B b = new B();
        assert b.v == 105 && A.n == 6 && b.seen == 0 && b.w == 7;
        assert tab[5] == 25 && tab.length == 6 && C.X == 4;
        A a = b; a.init(); assert b.w == 9;
        assert a instanceof B && ((B) a).seen == 7;
    }
}
