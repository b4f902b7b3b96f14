// A number under a readers-writer lock. After CALVIN, section 6.2: who reads expects that nobody changes the number, and
// that the lock is either held by one who writes or by those who read is an invariant.
// assertions: SAFE
// contracts: SAFE
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class ReaderWriter {
    static final ReentrantReadWriteLock rw = new ReentrantReadWriteLock();
    static int x;
    static int y;

    //@ global_invariant rw.readers.isEmpty() || rw.holder == null
    //@ rely \old(rw.readers.contains(\tid)) ==> x == \old(x)

    static class Thread1 extends Thread {
        public void run() {
            rw.writeLock().lock();
            x = 3;
            rw.writeLock().unlock();
        }
    }

    static class Thread2 extends Thread {
        //@ rely y == \old(y)

        public void run() {
            rw.readLock().lock();
            y = x;
            assert y == x;
            rw.readLock().unlock();
        }
    }

    public static void main(String[] args) {
        new Thread1().start();
        new Thread2().start();
    }
}
