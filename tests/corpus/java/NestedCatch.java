// The first handler that fits catches.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class NestedCatch {
    static class A extends RuntimeException { } static class B extends A { }
    static int f(int k) {
        int r = 0;
        try {
            try { if (k == 0) throw new A(); if (k == 1) throw new B(); if (k == 2) { int[] o = null; r = o.length; } if (k == 3) { int z = 0; r = 1 / z; } }
            catch (B b) { r += 1; throw b; }
            catch (A a) { r += 2; }
            finally { r += 10; }
        } catch (A a) { r += 100; }
        catch (NullPointerException | ArithmeticException e) { r += 1000; }
        return r;
    }
    public static void main(String[] args) {
        assert f(0) == 12 && f(1) == 111 && f(2) == 1010 && f(3) == 1010 && f(4) == 10;
    }
}
