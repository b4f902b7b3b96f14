// A lock is given back twice.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
// jvm: fails
import java.util.concurrent.locks.ReentrantLock;

public class UnlockTwice {
    public static void main(String[] args) {
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        lock.unlock();
        lock.unlock();
    }
}
