// What was there before may be either: the other thread may have come first.
// assertions: UNSAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.atomic.*;
public class UpdatesWrong {
    static final AtomicInteger n = new AtomicInteger();
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> n.accumulateAndGet(4, (a, b) -> a > b ? a : b));
        t.start();
        int before = n.getAndAccumulate(3, Math::max);
        t.join();
        assert n.get() == 4;
        assert before == 0;
    }
}
