// A long that is handed over by a volatile field is whole.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class LongHandedOver {
    static long x;
    static volatile boolean isThere;
    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(() -> { x = -1L; isThere = true; });
        t.start();
        if (isThere) assert x == -1L;
        t.join();
        assert x == -1L;
    }
}
