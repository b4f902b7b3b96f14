// A lock made of an AtomicBoolean.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.atomic.AtomicBoolean;

public class AtomicBooleans {
    static final AtomicBoolean taken = new AtomicBoolean();
    static int value;

    static void work() {
        while (!taken.compareAndSet(false, true)) {
            Thread.yield();
        }
        value++;
        taken.set(false);
    }

    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(() -> work());
        t.start();
        work();
        t.join();
        assert value == 2;
    }
}
