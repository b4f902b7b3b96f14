// wait without a loop: a spurious wakeup finds the buffer empty. Without such wakeups it is right.
// assertions: UNSAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class WaitIf {
    private boolean full;

    synchronized void put() {
        full = true;
        notify();
    }

    synchronized void take() throws InterruptedException {
        if (!full) {
            wait();
        }
        assert full;
    }

    public static void main(String[] args) throws InterruptedException {
        WaitIf buffer = new WaitIf();
        Thread producer = new Thread(() -> buffer.put());
        producer.start();
        buffer.take();
    }
}
