// A plain flag is a race, whatever the values are.
// assertions: SAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
public class NotVolatile {
    static int data;
    static boolean ready;

    public static void main(String[] args) throws InterruptedException {
        Thread writer = new Thread(() -> {
            data = 42;
            ready = true;
        });
        writer.start();
        if (ready) {
            assert data == 42;
        }
    }
}
