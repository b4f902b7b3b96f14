// Who waits for another thread's end with a monitor that the other needs waits for ever.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: UNSAFE
public class JoinOfHolder {
    static final Object m = new Object();
    static boolean go;
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { synchronized (m) { while (!go) { try { m.wait(); } catch (InterruptedException e) { } } } });
        t.start();
        Thread u = new Thread(() -> { synchronized (m) { try { t.join(); } catch (InterruptedException e) { } } });
        u.start();
        synchronized (m) { go = true; m.notifyAll(); }
    }
}
