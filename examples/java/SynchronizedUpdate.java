// Two threads increment a field inside of a monitor of the class.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class SynchronizedUpdate {
    static int counter;

    static class Worker extends Thread {
        public void run() {
            synchronized (SynchronizedUpdate.class) {
                counter++;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Worker a = new Worker();
        Worker b = new Worker();
        a.start();
        b.start();
        a.join();
        b.join();
        assert counter == 2;
    }
}
