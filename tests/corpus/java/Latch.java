// A latch is waited for; what was done before is seen then.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

public class Latch {
    public static void main(String[] args) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(2);
        AtomicInteger sum = new AtomicInteger();
        for (int i = 0; i < 2; i++) {
            new Thread(() -> {
                sum.addAndGet(3);
                done.countDown();
            }).start();
        }
        done.await();
        assert sum.get() == 6;
    }
}
