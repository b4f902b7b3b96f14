// Four threads come through a barrier of two: whoever comes while it opens belongs to the next round.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.*;
public class BarrierReused {
    static final CyclicBarrier barrier = new CyclicBarrier(2);
    static int done;
    static void go() {
        try { barrier.await(); } catch (Exception e) { assert false; }
        synchronized (barrier) { done++; }
    }
    public static void main(String[] args) throws Exception {
        Thread a = new Thread(BarrierReused::go), b = new Thread(BarrierReused::go), c = new Thread(BarrierReused::go);
        a.start(); b.start(); c.start();
        go();
        a.join(); b.join(); c.join();
        assert done == 4;
    }
}
