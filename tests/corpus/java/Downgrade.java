// Who holds the write lock may take the read lock, and give the write lock back.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.locks.*;
public class Downgrade {
    static final ReentrantReadWriteLock rw = new ReentrantReadWriteLock();
    static int data;
    static void writer() {
        rw.writeLock().lock();
        int mine = ++data;
        rw.readLock().lock();
        rw.writeLock().unlock();
        assert data == mine;
        rw.readLock().unlock();
    }
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(Downgrade::writer);
        t.start();
        writer();
        t.join();
        assert data == 2;
    }
}
