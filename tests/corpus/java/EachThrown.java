// Each exception that operations throw by themselves is caught where it belongs.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class EachThrown {
    static final Object a = new Object();
    static int x, y;
    static synchronized int both(int n) throws InterruptedException { if (n == 0) { EachThrown.class.notifyAll(); return x; } return both(n - 1) + 1; }
    static void fail() { throw new ArithmeticException(); }
    public static void main(String[] args) throws Exception {
        assert both(3) == 3;
        int r = 0;
        try { synchronized (a) { synchronized (a) { fail(); } } } catch (ArithmeticException e) { r = 1; }
        assert r == 1 && !Thread.holdsLock(a);
        try { try { fail(); } finally { r = 2; } } catch (RuntimeException e) { r += 10; }
        assert r == 12;
        try { int z = x / y; r = 99; } catch (ArithmeticException e) { r = 3; } 
        assert r == 3;
        long q = 5; try { q %= (long) x; } catch (ArithmeticException e) { q = 6; }
        assert q == 6;
        Object o = null;
        try { o.toString(); } catch (NullPointerException e) { r = 4; }
        try { synchronized (o) { r = 5; } } catch (NullPointerException e) { r++; }
        assert r == 5;
        int[] n = null;
        try { n[r] = r / x; r = 50; } catch (NullPointerException e) { r = 51; } catch (ArithmeticException e) { r = 52; }
        assert r == 52;
        try { Object[] os = new Integer[1]; os[0] = new Object(); r = 0; } catch (ArrayStoreException e) { r = 53; }
        assert r == 53;
        try { throw null; } catch (NullPointerException e) { r = 54; }
        assert r == 54;
        try { int[] neg = new int[x - 1]; } catch (NegativeArraySizeException e) { r = 55; }
        assert r == 55;
        try { Object s = "s"; Integer i = (Integer) s; } catch (ClassCastException e) { r = 56; }
        assert r == 56;
    }
}
