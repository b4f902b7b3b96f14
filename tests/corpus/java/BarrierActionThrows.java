// The action of a barrier throws in the thread that comes last.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.*;
public class BarrierActionThrows {
    public static void main(String[] args) throws Exception {
        CyclicBarrier b = new CyclicBarrier(2, () -> { throw new IllegalStateException(); });
        Thread t = new Thread(() -> { try { b.await(); } catch (BrokenBarrierException | InterruptedException e) { } });
        t.start();
        try { b.await(); } catch (BrokenBarrierException e) { }
        t.join();
    }
}
