// The field changes while its old object is locked.
// assertions: UNSAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
public class MonitorChanges {
    static volatile Object m = new Object();
    static int n;
    static void inc() { synchronized (m) { n++; m = new Object(); n++; } }
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(MonitorChanges::inc);
        t.start(); inc(); t.join();
        assert n == 4;
    }
}
