// A task is given to a pool that was shut down.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
// jvm: fails
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public class PoolTooLate {
    public static void main(String[] args) {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        pool.shutdown();
        pool.execute(() -> Thread.yield());
    }
}
