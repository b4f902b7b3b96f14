// An exception leaves a synchronized block: the monitor is free again.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class ThrownInMonitor {
    static class Full extends RuntimeException {
    }

    static int used;

    static synchronized void take() {
        if (used == 1) {
            throw new Full();
        }
        used++;
    }

    static void work() {
        try {
            take();
        } catch (Full full) {
            synchronized (ThrownInMonitor.class) {
                used = 1;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread a = new Thread(() -> work());
        Thread b = new Thread(() -> work());
        a.start();
        b.start();
        a.join();
        b.join();
        assert used == 1;
    }
}
