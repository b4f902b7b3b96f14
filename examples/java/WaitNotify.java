// A buffer of one place with wait in a loop: right also with spurious wakeups.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class WaitNotify {
    private boolean full;
    private int item;

    synchronized void put(int value) throws InterruptedException {
        while (full) {
            wait();
        }
        item = value;
        full = true;
        notifyAll();
    }

    synchronized int take() throws InterruptedException {
        while (!full) {
            wait();
        }
        full = false;
        notifyAll();
        return item;
    }

    public static void main(String[] args) throws InterruptedException {
        WaitNotify buffer = new WaitNotify();
        Thread producer = new Thread(() -> {
            try {
                buffer.put(1);
                buffer.put(2);
            } catch (InterruptedException never) {
                assert false;
            }
        });
        producer.start();
        int first = buffer.take();
        int second = buffer.take();
        assert first == 1 && second == 2;
    }
}
