// An index that another thread moves past the end.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
public class Bounds {
    static final int[] slots = new int[2];
    static volatile int next;

    static void put() {
        int mine = next;
        next = mine + 1;
        if (mine < 2 && next >= 0) {
            synchronized (Bounds.class) {
                slots[next - 1] = mine;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread a = new Thread(() -> {
            put();
            put();
        });
        Thread b = new Thread(() -> put());
        a.start();
        b.start();
    }
}
