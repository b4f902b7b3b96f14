// What goes wrong in a task comes out of its future.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public class PoolError {
    static int zero;

    public static void main(String[] args) throws InterruptedException {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        Future<Integer> quotient = pool.submit(() -> 1 / zero);
        pool.shutdown();
        boolean failed = false;
        try {
            quotient.get();
        } catch (ExecutionException error) {
            failed = true;
        }
        assert failed;
    }
}
