// A read lock is given back more often than it was taken.
// jvm: fails
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.locks.*;
public class ReadUnlockTwice {
    static final ReentrantReadWriteLock l = new ReentrantReadWriteLock();
    public static void main(String[] args) throws Exception {
        l.writeLock().lock();
        l.readLock().lock();
        assert !false;
        l.writeLock().unlock();
        l.readLock().unlock();
        l.readLock().unlock();
    }
}
