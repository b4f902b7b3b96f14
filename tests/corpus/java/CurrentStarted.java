// The thread that runs main was started long ago.
// jvm: fails
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
public class CurrentStarted {
    public static void main(String[] args) throws Exception {
        Thread.currentThread().start();
    }
}
