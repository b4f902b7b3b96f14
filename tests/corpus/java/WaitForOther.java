// The monitor that is waited for is not held.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
public class WaitForOther {
    static final Object a = new Object(), b = new Object();
    public static void main(String[] args) throws Exception {
        synchronized (a) { b.wait(); }
    }
}
