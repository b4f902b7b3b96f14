// The result of a thread is read before it has ended.
// assertions: UNSAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
public class ReadTooEarly extends Thread {
    private int made;

    public void run() {
        made = 42;
    }

    public static void main(String[] args) throws InterruptedException {
        ReadTooEarly t = new ReadTooEarly();
        t.start();
        assert t.made == 42;
        t.join();
    }
}
