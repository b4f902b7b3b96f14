// Atomic variables: no update is lost, and nothing races.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

public class AtomicCounter {
    static final AtomicInteger counter = new AtomicInteger();
    static final AtomicLong sum = new AtomicLong(10);
    static final AtomicBoolean taken = new AtomicBoolean();

    static void work() {
        counter.incrementAndGet();
        sum.addAndGet(5L);
        if (taken.compareAndSet(false, true)) {
            sum.getAndAdd(-2L);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread a = new Thread(AtomicCounter::work);
        Thread b = new Thread(AtomicCounter::work);
        a.start();
        b.start();
        a.join();
        b.join();
        assert counter.get() == 2;
        assert sum.get() == 18L;
        assert taken.get();
    }
}
