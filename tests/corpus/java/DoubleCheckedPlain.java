// Double-checked initialisation that publishes the object before it has its value.
// assertions: UNSAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
public class DoubleCheckedPlain {
    static DoubleCheckedPlain instance;
    int value;

    static DoubleCheckedPlain get() {
        if (instance == null) {
            synchronized (DoubleCheckedPlain.class) {
                if (instance == null) {
                    instance = new DoubleCheckedPlain();
                    instance.value = 7;
                }
            }
        }
        return instance;
    }

    public static void main(String[] args) {
        new Thread(() -> {
            assert get().value == 7;
        }).start();
        assert get().value == 7;
    }
}
