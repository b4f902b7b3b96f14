// Who holds the read lock waits for itself when it takes the write lock.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: UNSAFE
import java.util.concurrent.locks.*;
public class Upgrade {
    static final ReentrantReadWriteLock rw = new ReentrantReadWriteLock();
    public static void main(String[] args) throws Exception {
        rw.readLock().lock();
        rw.writeLock().lock();
        assert false;
    }
}
