// A static synchronized method takes the monitor of its class, an instance method that of its object: they do not exclude each other.
// assertions: UNSAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
public class StaticSynchronized {
    static int counter;

    static synchronized void one() {
        counter++;
    }

    synchronized void other() {
        counter++;
    }

    public static void main(String[] args) throws InterruptedException {
        StaticSynchronized object = new StaticSynchronized();
        Thread a = new Thread(() -> one());
        Thread b = new Thread(() -> object.other());
        a.start();
        b.start();
        a.join();
        b.join();
        assert counter == 2;
    }
}
