// A divisor becomes zero between the test and the division.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
public class Division {
    static volatile int divisor = 3;

    public static void main(String[] args) {
        Thread zero = new Thread(() -> divisor = 0);
        zero.start();
        if (divisor != 0) {
            int part = 10 / divisor;
            assert part == 3;
        }
    }
}
