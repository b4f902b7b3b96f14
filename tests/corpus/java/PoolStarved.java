// A task waits for another one of the same pool, which has one thread only.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: UNSAFE
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public class PoolStarved {
    static final CountDownLatch done = new CountDownLatch(1);

    static void waitForIt() {
        try {
            done.await();
        } catch (InterruptedException never) {
            assert false;
        }
    }

    public static void main(String[] args) {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        pool.execute(() -> waitForIt());
        pool.execute(() -> done.countDown());
        pool.shutdown();
    }
}
