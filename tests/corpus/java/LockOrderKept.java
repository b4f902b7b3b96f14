// Two monitors are taken in one order by both threads.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class LockOrderKept {
    static final Object first = new Object();
    static final Object second = new Object();
    static int value;

    public static void main(String[] args) {
        Thread a = new Thread(() -> {
            synchronized (first) {
                synchronized (second) {
                    value++;
                }
            }
        });
        Thread b = new Thread(() -> {
            synchronized (first) {
                synchronized (second) {
                    value++;
                }
            }
        });
        a.start();
        b.start();
    }
}
