// A field is set after the thread that uses it was started.
// assertions: SAFE
// exceptions: UNSAFE
// races: UNSAFE
// deadlock: SAFE
public class NullPointer {
    static class Box {
        int value = 7;
    }

    static Box box;

    public static void main(String[] args) {
        Thread reader = new Thread(() -> {
            int seen = box.value;
            assert seen == 7 || seen == 0;
        });
        reader.start();
        box = new Box();
    }
}
