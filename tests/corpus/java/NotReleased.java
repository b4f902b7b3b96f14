// A lock that is not given back where an exception is thrown: the other thread waits for ever.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: UNSAFE
import java.util.concurrent.locks.ReentrantLock;

public class NotReleased {
    static final ReentrantLock lock = new ReentrantLock();
    static int value;

    static void work(int divisor) {
        lock.lock();
        value += 6 / divisor;
        lock.unlock();
    }

    public static void main(String[] args) {
        new Thread(() -> work(3)).start();
        try {
            work(0);
        } catch (ArithmeticException zero) {
            return;
        }
    }
}
