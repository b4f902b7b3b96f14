// A pool that is not shut down keeps its threads, which wait for ever.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: UNSAFE
import java.util.concurrent.*;
public class PoolWaitsForItself {
    public static void main(String[] args) throws Exception {
        ExecutorService p = Executors.newFixedThreadPool(1);
        Future<?> f = p.submit(() -> { });
        f.get();
    }
}
