// Two philosophers who take their forks in different orders.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: UNSAFE
public class Philosophers {
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
        new Philosopher(right, left).start();
    }
}
