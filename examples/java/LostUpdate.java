// Two threads increment a plain field: an update can be lost.
// assertions: UNSAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
public class LostUpdate {
    static int counter;

    static class Worker extends Thread {
        public void run() {
            counter++;
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
