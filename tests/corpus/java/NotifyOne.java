// Two wait and one is told.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: UNSAFE
// flags: --no-spurious
public class NotifyOne {
    static final Object m = new Object();
    static boolean go;
    static void await() { synchronized (m) { while (!go) { try { m.wait(); } catch (InterruptedException e) { } } } }
    public static void main(String[] args) throws Exception {
        Thread s = new Thread(NotifyOne::await), t = new Thread(NotifyOne::await);
        s.start(); t.start();
        synchronized (m) { go = true; m.notify(); }
    }
}
