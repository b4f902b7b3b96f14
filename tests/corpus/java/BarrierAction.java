// What the last one at a barrier does is done before anybody goes on, each time.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.*;
public class BarrierAction {
    static int x;
    static final CyclicBarrier barrier = new CyclicBarrier(2, () -> x++);
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { try { barrier.await(); barrier.await(); } catch (Exception e) { assert false; } });
        t.start();
        barrier.await();
        assert x >= 1;
        barrier.await();
        assert x == 2;
    }
}
