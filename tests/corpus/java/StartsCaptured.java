// A thread starts one that it was given.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class StartsCaptured {
    static int n;
    public static void main(String[] args) throws Exception {
        Thread inner = new Thread(() -> n = 3);
        Thread outer = new Thread(() -> {
            inner.start();
            try { inner.join(); } catch (InterruptedException e) { }
            n++;
        });
        outer.start();
        outer.join();
        assert n == 4;
    }
}
