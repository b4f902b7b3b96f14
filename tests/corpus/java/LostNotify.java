// The notification may come before the wait: without spurious wakeups nobody goes on.
// flags: --no-spurious
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: UNSAFE
public class LostNotify {
    static final Object signal = new Object();

    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(() -> {
            synchronized (signal) {
                signal.notify();
            }
        });
        other.start();
        synchronized (signal) {
            signal.wait();
        }
    }
}
