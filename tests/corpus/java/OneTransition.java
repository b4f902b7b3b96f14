// A number that only grows: every step of every thread keeps that (CALVIN's word for it), and a lock of the library guards
// the rest.
// assertions: SAFE
// exceptions: SAFE
// deadlock: SAFE
// contracts: SAFE
import java.util.concurrent.locks.ReentrantLock;

public class OneTransition {
    static final ReentrantLock lock = new ReentrantLock();
    static volatile int level;
    //@ invariant level <= 3
    //@ oti level >= \old(level)
    //@ unwritable_by_env_if lock.holder == \tid
    static int copy;

    static class Climber extends Thread {
        public void run() {
            int seen = level;
            assert level >= seen;
            lock.lock();
            copy = seen;
            assert copy == seen;
            lock.unlock();
        }
    }

    public static void main(String[] args) {
        new Climber().start();
        level = 3;
        new Climber().start();
    }
}
