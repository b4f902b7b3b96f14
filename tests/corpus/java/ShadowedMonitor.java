// A static method and one of an object take different monitors.
// assertions: UNSAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
public class ShadowedMonitor {
    static int n;
    static synchronized void a() { n++; }
    synchronized void b() { n++; }
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> new ShadowedMonitor().b());
        t.start(); a(); t.join();
        assert n == 2;
    }
}
