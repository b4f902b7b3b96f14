// Who comes last gets what the action of a barrier throws, the others that it is broken.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
public class BarrierActionCaught {
    static final AtomicInteger thrown = new AtomicInteger(), broken = new AtomicInteger();
    static final CyclicBarrier b = new CyclicBarrier(2, () -> { throw new IllegalStateException(); });
    static void come() {
        try { b.await(); }
        catch (IllegalStateException e) { thrown.incrementAndGet(); }
        catch (BrokenBarrierException | InterruptedException e) { broken.incrementAndGet(); }
    }
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(BarrierActionCaught::come);
        t.start();
        come();
        t.join();
        assert thrown.get() == 1 && broken.get() == 1;
    }
}
