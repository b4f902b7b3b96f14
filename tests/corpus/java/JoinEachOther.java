// Two threads wait for each other's end.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: UNSAFE
public class JoinEachOther {
    public static void main(String[] args) throws Exception {
        Thread main = Thread.currentThread();
        Thread t = new Thread(() -> { try { main.join(); } catch (InterruptedException e) { } });
        t.start();
        t.join();
    }
}
