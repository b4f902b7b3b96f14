// Reading an atomic variable and setting it are two steps.
// assertions: UNSAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.atomic.AtomicInteger;

public class AtomicTwoSteps {
    static final AtomicInteger counter = new AtomicInteger();

    public static void main(String[] args) throws InterruptedException {
        Runnable work = () -> counter.set(counter.get() + 1);
        Thread a = new Thread(work);
        Thread b = new Thread(work);
        a.start();
        b.start();
        a.join();
        b.join();
        assert counter.get() == 2;
    }
}
