// A monitor that was taken three times is given back altogether by wait, and taken as often again.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class DepthOverWait {
    static final Object lock = new Object();
    static int depth, flag;
    static void inner() throws InterruptedException {
        synchronized (lock) { while (flag == 0) lock.wait(); depth++; }
    }
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { synchronized (lock) { flag = 1; lock.notifyAll(); } });
        synchronized (lock) {
            synchronized (lock) {
                t.start();
                inner();
                assert Thread.holdsLock(lock);
            }
            assert Thread.holdsLock(lock);
            depth++;
        }
        assert !Thread.holdsLock(lock);
        t.join();
        assert depth == 2;
    }
}
