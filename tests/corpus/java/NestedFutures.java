// A task submits another one and waits for its result.
// assertions: SAFE
// exceptions: SAFE
// deadlock: SAFE
import java.util.concurrent.*;
public class NestedFutures {
    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Future<Integer> sum = pool.submit(() -> {
            Future<Integer> part = pool.submit(() -> 20);
            return part.get() + 1;
        });
        assert sum.get() == 21;
        pool.shutdown();
    }
}
