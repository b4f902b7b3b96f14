// Two threads share a number under a lock. After CALVIN, section 4 (SimpleLock); machine integers wrap, so that the number is small here.
// assertions: SAFE
// contracts: SAFE
public class SimpleLock {
    static final Object mx = new Object();
    static int x; //@ guarded_by mx

    static class Thread1 extends Thread {
        public void run() {
            synchronized (mx) {
                x = x & 15;
                x = x * x;
                x = x + 2;
                assert x > 1;
            }
        }
    }

    static class Thread2 extends Thread {
        public void run() {
            synchronized (mx) {
                x = 0;
            }
        }
    }

    public static void main(String[] args) {
        new Thread1().start();
        new Thread2().start();
    }
}
