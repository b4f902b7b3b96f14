// A condition may end by itself: who does not look again goes on too early.
// assertions: UNSAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.locks.*;
public class AwaitIf {
    static final Lock lock = new ReentrantLock();
    static final Condition c = lock.newCondition();
    static boolean ready;
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { lock.lock(); try { ready = true; c.signalAll(); } finally { lock.unlock(); } });
        t.start();
        lock.lock();
        try { if (!ready) c.await(); assert ready; } finally { lock.unlock(); }
    }
}
