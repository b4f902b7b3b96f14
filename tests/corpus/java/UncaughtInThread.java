// An exception that nobody catches in a thread.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
public class UncaughtInThread {
    static int n;
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { n = 1; int[] a = new int[2]; a[n + 1] = 3; });
        t.start(); t.join();
        assert n == 1;
    }
}
