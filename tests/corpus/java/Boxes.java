// Numbers in objects, which another thread takes out again.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.atomic.AtomicReference;

public class Boxes {
    static final AtomicReference<Integer> latest = new AtomicReference<>();

    public static void main(String[] args) {
        new Thread(() -> latest.set(7)).start();
        Integer seen = latest.get();
        assert seen == null || seen == 7;
        Long wide = 1L << 40;
        Boolean yes = wide > 5;
        assert yes;
    }
}
