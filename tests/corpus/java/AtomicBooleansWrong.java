// A lock made of an AtomicBoolean that asks and takes in two steps.
// assertions: UNSAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
import java.util.concurrent.atomic.AtomicBoolean;

public class AtomicBooleansWrong {
    static final AtomicBoolean taken = new AtomicBoolean();
    static int value;

    static void work() {
        while (taken.get()) {
            Thread.yield();
        }
        taken.set(true);
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
