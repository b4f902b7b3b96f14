// Peterson's algorithm with volatile fields: the plain counter is never accessed by both.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class Peterson {
    static volatile boolean first, second;
    static volatile int turn;
    static int counter;

    static class First extends Thread {
        public void run() {
            first = true;
            turn = 2;
            while (second && turn == 2) {
                Thread.yield();
            }
            counter++;
            first = false;
        }
    }

    static class Second extends Thread {
        public void run() {
            second = true;
            turn = 1;
            while (first && turn == 1) {
                Thread.yield();
            }
            counter++;
            second = false;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        First a = new First();
        Second b = new Second();
        a.start();
        b.start();
        a.join();
        b.join();
        assert counter == 2;
    }
}
