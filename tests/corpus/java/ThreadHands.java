// A value is handed over by start and join alone: no races.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class ThreadHands extends Thread {
    private int given;
    private int made;

    public void run() {
        made = given * 2;
    }

    public static void main(String[] args) throws InterruptedException {
        ThreadHands t = new ThreadHands();
        t.given = 21;
        t.start();
        t.join();
        assert t.made == 42;
    }
}
