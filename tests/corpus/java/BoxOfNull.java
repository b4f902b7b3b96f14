// What is in a box is taken out before there is one.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.atomic.AtomicReference;

public class BoxOfNull {
    static final AtomicReference<Integer> latest = new AtomicReference<>();

    public static void main(String[] args) {
        new Thread(() -> latest.set(7)).start();
        int seen = latest.get();
        assert seen == 7;
    }
}
