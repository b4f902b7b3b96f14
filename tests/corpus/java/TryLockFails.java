// Who does not get the lock goes another way.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.locks.*;
public class TryLockFails {
    static final ReentrantLock l = new ReentrantLock(); static int n;
    static void f() { if (l.tryLock()) { try { assert l.isHeldByCurrentThread(); n++; int k = n; assert k == n; } finally { l.unlock(); } } }
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(TryLockFails::f);
        t.start(); f(); t.join();
        assert n >= 1;
    }
}
