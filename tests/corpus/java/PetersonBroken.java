// Peterson's algorithm that gives the turn away too early: both can be inside.
// assertions: UNSAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
public class PetersonBroken {
    static volatile boolean first, second;
    static volatile int turn;
    static int counter;

    static class First extends Thread {
        public void run() {
            turn = 2;
            first = true;
            while (second && turn == 2) {
                Thread.yield();
            }
            counter++;
            first = false;
        }
    }

    static class Second extends Thread {
        public void run() {
            turn = 1;
            second = true;
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
