// A class that holds the only object is set up once.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class StaticInitInThread {
    static class Holder { static final Holder it = new Holder(); int v = 42; }
    static int get() { return Holder.it.v; }
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { assert get() == 42; });
        t.start();
        assert get() == 42;
        t.join();
    }
}
