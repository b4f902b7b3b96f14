// An exception of the program's own that nobody catches.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
public class UncaughtOwn {
    static class Wrong extends Exception {
    }

    static volatile int state;

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> state = 1);
        other.start();
        if (state == 1) {
            throw new Wrong();
        }
    }
}
