// The only thread of a pool waits for a task that nobody takes.
// assertions: SAFE
// exceptions: SAFE
// deadlock: UNSAFE
import java.util.concurrent.*;
public class NestedFuturesStuck {
    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        Future<Integer> sum = pool.submit(() -> {
            Future<Integer> part = pool.submit(() -> 20);
            return part.get() + 1;
        });
        assert sum.get() == 21;
        pool.shutdown();
    }
}
