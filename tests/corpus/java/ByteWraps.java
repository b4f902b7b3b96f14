// A byte wraps around when a thread has added to it; the others read it when that thread has ended.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class ByteWraps {
    static byte value = 127;

    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread() {
            public void run() {
                value++;
            }
        };
        t.start();
        t.join();
        assert value == -128;
    }
}
