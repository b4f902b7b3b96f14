// Two stores to one element of an array of longs leave a half of each.
// assertions: UNSAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
// jvm: whole
public class TornElement {
    static final long[] cells = new long[2];
    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(() -> cells[1] = 4294967297L);
        t.start();
        cells[1] = 8589934594L;
        t.join();
        assert cells[1] == 4294967297L || cells[1] == 8589934594L;
    }
}
