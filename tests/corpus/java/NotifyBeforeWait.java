// Nobody sets what is waited for.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: UNSAFE
// flags: --no-spurious
public class NotifyBeforeWait {
    static final Object m = new Object();
    static boolean told;
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { synchronized (m) { m.notify(); } });
        t.start();
        synchronized (m) { boolean once = told; while (!once) { m.wait(); once = told; } }
    }
}
