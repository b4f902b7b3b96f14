// A permit too many.
// assertions: UNSAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

public class SemaphoresWrong {
    static final Semaphore permits = new Semaphore(3);
    static final AtomicInteger inside = new AtomicInteger();

    static void work() {
        permits.acquireUninterruptibly();
        assert inside.incrementAndGet() <= 2;
        inside.decrementAndGet();
        permits.release();
    }

    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) {
            new Thread(() -> work()).start();
        }
    }
}
