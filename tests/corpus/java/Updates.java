// Functions that compute what an atomic variable is to be: what others did in the meantime is not lost.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.atomic.*;
public class Updates {
    static final AtomicInteger n = new AtomicInteger(1);
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> n.getAndUpdate(x -> x * 2));
        t.start();
        int old = n.updateAndGet(x -> x + 3);
        t.join();
        assert n.get() == 8 || n.get() == 5;
    }
}
