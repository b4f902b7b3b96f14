// Two monitors are taken in both orders: a deadlock.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: UNSAFE
public class LockOrder {
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
            synchronized (second) {
                synchronized (first) {
                    value++;
                }
            }
        });
        a.start();
        b.start();
    }
}
