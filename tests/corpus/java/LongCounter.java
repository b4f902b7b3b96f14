// A long under a monitor: whole 64-bit values.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class LongCounter {
    static long total = 4294967295L;

    static synchronized void add(long by) {
        total += by;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(() -> add(1L));
        t.start();
        add(2L);
        t.join();
        assert total == 4294967298L;
    }
}
