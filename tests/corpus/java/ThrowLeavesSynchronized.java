// Both levels of a monitor are given back on the way of an exception.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class ThrowLeavesSynchronized {
    static final Object m = new Object();
    static int n;
    static void f(boolean bad) {
        synchronized (m) { synchronized (m) { n++; if (bad) throw new IllegalStateException(); n++; } }
    }
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { try { f(true); } catch (IllegalStateException e) { } });
        t.start();
        f(false);
        t.join();
        assert n == 3;
        assert !Thread.holdsLock(m);
    }
}
