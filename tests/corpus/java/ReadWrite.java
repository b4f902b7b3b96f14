// Readers share a lock, a writer has it alone.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class ReadWrite {
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
            lock.writeLock().lock();
            low++;
            high++;
            lock.writeLock().unlock();
        });
        reader.start();
        writer.start();
    }
}
