// Two permits: never three threads inside.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

public class Semaphores {
    static final Semaphore permits = new Semaphore(2);
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
