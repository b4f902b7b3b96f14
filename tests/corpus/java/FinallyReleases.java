// A lock that is given back in a finally block, also where an exception is caught outside.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.locks.ReentrantLock;

public class FinallyReleases {
    static final ReentrantLock lock = new ReentrantLock();
    static int value;

    static void work(int divisor) {
        lock.lock();
        try {
            value += 6 / divisor;
        } finally {
            lock.unlock();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(() -> work(3));
        t.start();
        try {
            work(0);
            assert false;
        } catch (ArithmeticException zero) {
            lock.lock();
            lock.unlock();
        }
        t.join();
        assert value == 2;
    }
}
