// A wait gives a monitor back altogether and takes it as often again.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class DepthRestored {
    static final Object m = new Object();
    static boolean go; static int inside;
    static synchronized void nothing() { }
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> {
            synchronized (m) { synchronized (m) { synchronized (m) {
                while (!go) { try { m.wait(); } catch (InterruptedException e) { } }
            } inside++; assert Thread.holdsLock(m); } inside++; assert Thread.holdsLock(m); }
            assert !Thread.holdsLock(m);
        });
        t.start();
        synchronized (m) { go = true; m.notifyAll(); inside++; }
        t.join();
        assert inside == 3;
    }
}
