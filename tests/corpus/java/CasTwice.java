// A value that comes and goes.
// assertions: UNSAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.atomic.*;
public class CasTwice {
    static final AtomicInteger a = new AtomicInteger();
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { if (a.compareAndSet(0, 1)) a.set(0); });
        t.start();
        boolean first = a.compareAndSet(0, 2);
        t.join();
        assert first;
    }
}
