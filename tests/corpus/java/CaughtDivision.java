// An exception that is caught is none; finally blocks run.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
// jvm: same
public class CaughtDivision {
    static volatile int divisor = 3;
    static int cleaned;

    static int divided(int by) {
        try {
            return 12 / by;
        } finally {
            cleaned++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread zero = new Thread(() -> divisor = 0);
        zero.start();
        int result;
        try {
            result = divided(divisor);
        } catch (ArithmeticException wrong) {
            result = -1;
        }
        assert result == 4 || result == -1;
        assert cleaned == 1;
        zero.join();
    }
}
