// A lock is given back by a thread that does not hold it.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.locks.*;
public class UnlockByOther {
    static final ReentrantLock l = new ReentrantLock();
    static final Condition c = l.newCondition();
    public static void main(String[] args) throws Exception {
        l.lock();
        Thread t = new Thread(() -> { l.unlock(); });
        t.start();
        t.join();
    }
}
