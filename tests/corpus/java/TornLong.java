// What is read of a long may be half of one store and half of another.
// assertions: UNSAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
// jvm: whole
public class TornLong {
    static long x;
    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(() -> x = -1L);
        t.start();
        long seen = x;
        assert seen == 0 || seen == -1L;
        t.join();
    }
}
