// A latch that is waited for once too often.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: UNSAFE
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

public class LatchTooMany {
    public static void main(String[] args) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(3);
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
