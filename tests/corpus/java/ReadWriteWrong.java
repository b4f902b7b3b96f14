// The writer takes the lock as a reader.
// assertions: UNSAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class ReadWriteWrong {
    static final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    static int low;
    static int high;

    static void read() {
        lock.readLock().lock();
        assert low == high;
        lock.readLock().unlock();
    }

    public static void main(String[] args) {
        Thread reader = new Thread(() -> read());
        Thread writer = new Thread(() -> {
            lock.readLock().lock();
            low++;
            high++;
            lock.readLock().unlock();
        });
        reader.start();
        writer.start();
    }
}
