// A thread waits for the end of the one that runs main.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class JoinMain {
    static int n;
    public static void main(String[] args) {
        Thread main = Thread.currentThread();
        Thread t = new Thread(() -> {
            try { main.join(); } catch (InterruptedException e) { }
            assert n == 5;
        });
        t.start();
        n = 5;
    }
}
