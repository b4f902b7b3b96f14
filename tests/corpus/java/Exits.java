// System.exit ends all threads: nothing behind it happens.
// jvm: ends
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class Exits {
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { System.exit(0); });
        t.start();
        t.join();
        assert false;
    }
}
