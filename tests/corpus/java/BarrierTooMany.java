// A barrier waits for more threads than there are.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: UNSAFE
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

public class BarrierTooMany {
    static final CyclicBarrier barrier = new CyclicBarrier(3);

    static void meet() {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException never) {
            assert false;
        }
    }

    public static void main(String[] args) {
        new Thread(() -> meet()).start();
        meet();
    }
}
