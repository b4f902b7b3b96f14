// A thread is started twice.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
// jvm: fails
public class StartTwice {
    public static void main(String[] args) {
        Thread other = new Thread(() -> {
        });
        other.start();
        other.start();
    }
}
