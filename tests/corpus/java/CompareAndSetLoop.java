// A spin lock made of compareAndSet.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.atomic.AtomicReference;

public class CompareAndSetLoop {
    static final AtomicReference<Thread> owner = new AtomicReference<>();
    static int value;

    static void work() {
        while (!owner.compareAndSet(null, Thread.currentThread())) {
            Thread.onSpinWait();
        }
        value = value + 1;
        owner.set(null);
    }

    public static void main(String[] args) throws InterruptedException {
        Thread a = new Thread(() -> work());
        Thread b = new Thread(() -> work());
        a.start();
        b.start();
        a.join();
        b.join();
        assert value == 2;
    }
}
