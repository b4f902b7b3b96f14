// What is thrown is of a class above one that is caught, and is not caught itself: the method does not go on.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
// jvm: fails
public class ThrownVariable {
    static void fail(Exception given) throws Exception {
        throw given;
    }

    public static void main(String[] args) throws Exception {
        try {
            Thread.sleep(1);
        } catch (InterruptedException never) {
            assert false;
        }
        fail(new IllegalStateException());
        assert false;
    }
}
