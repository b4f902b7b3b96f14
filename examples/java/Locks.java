// A ReentrantLock with a Condition; tryLock may fail.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

public class Locks {
    static final Lock lock = new ReentrantLock();
    static final Condition changed = lock.newCondition();
    static int value;

    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(() -> {
            lock.lock();
            try {
                value = 5;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        });
        other.start();
        lock.lock();
        try {
            while (value == 0) {
                changed.await();
            }
            assert value == 5;
        } finally {
            lock.unlock();
        }
        if (lock.tryLock()) {
            value = 6;
            lock.unlock();
        }
    }
}
