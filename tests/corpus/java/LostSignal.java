// The signal of a condition may come before anybody waits for it, and nobody looks whether it has come.
// flags: --no-spurious
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: UNSAFE
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class LostSignal {
    static final ReentrantLock lock = new ReentrantLock();
    static final Condition ready = lock.newCondition();

    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(() -> {
            lock.lock();
            try {
                ready.signal();
            } finally {
                lock.unlock();
            }
        });
        other.start();
        lock.lock();
        try {
            ready.await();
        } finally {
            lock.unlock();
        }
    }
}
