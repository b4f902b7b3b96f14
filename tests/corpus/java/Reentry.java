// A synchronized method calls another one of the same object: the monitor is taken twice and given back twice.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class Reentry {
    private int value;

    synchronized void twice() {
        once();
        once();
    }

    synchronized void once() {
        value++;
    }

    public static void main(String[] args) throws InterruptedException {
        Reentry object = new Reentry();
        Thread a = new Thread(object::twice);
        Thread b = new Thread(object::twice);
        a.start();
        b.start();
        a.join();
        b.join();
        assert object.value == 4;
    }
}
