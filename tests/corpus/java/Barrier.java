// Both write before the barrier and read after it.
// assertions: SAFE
// exceptions: SAFE
// deadlock: SAFE
import java.util.concurrent.CyclicBarrier;

public class Barrier {
    static final CyclicBarrier barrier = new CyclicBarrier(2);
    static volatile int left;
    static volatile int right;

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> {
            right = 1;
            try {
                barrier.await();
            } catch (Exception never) {
                left = 0;
            }
            assert left == 1;
        });
        other.start();
        left = 1;
        barrier.await();
        assert right == 1;
    }
}
