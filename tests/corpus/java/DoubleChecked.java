// Double-checked initialisation with a volatile reference: made once, and seen whole.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class DoubleChecked {
    static volatile DoubleChecked instance;
    static int made;
    int value;

    static DoubleChecked get() {
        DoubleChecked known = instance;
        if (known == null) {
            synchronized (DoubleChecked.class) {
                known = instance;
                if (known == null) {
                    known = new DoubleChecked();
                    known.value = 7;
                    made++;
                    instance = known;
                }
            }
        }
        return known;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(() -> {
            assert get().value == 7;
        });
        t.start();
        assert get().value == 7;
        t.join();
        assert made == 1;
    }
}
