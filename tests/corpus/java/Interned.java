// A literal is one object.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class Interned {
    static int n;
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { synchronized ("lock") { n++; } });
        t.start();
        synchronized ("lock") { n++; }
        t.join();
        assert n == 2;
    }
}
