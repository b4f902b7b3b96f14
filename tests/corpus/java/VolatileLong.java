// A volatile long is read whole.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class VolatileLong {
    static volatile long x;
    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(() -> x = -1L);
        t.start();
        long seen = x;
        assert seen == 0 || seen == -1L;
        t.join();
    }
}
