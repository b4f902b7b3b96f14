// Two philosophers who take their forks in the same order.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class PhilosophersOrdered {
    static final Object left = new Object();
    static final Object right = new Object();

    static class Philosopher extends Thread {
        private final Object first;
        private final Object second;

        Philosopher(Object first, Object second) {
            this.first = first;
            this.second = second;
        }

        public void run() {
            synchronized (first) {
                synchronized (second) {
                    Thread.yield();
                }
            }
        }
    }

    public static void main(String[] args) {
        new Philosopher(left, right).start();
        new Philosopher(left, right).start();
    }
}
