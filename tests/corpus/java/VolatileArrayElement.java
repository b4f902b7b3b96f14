// The reference is volatile, the elements are not.
// assertions: SAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
public class VolatileArrayElement {
    static volatile int[] a = new int[1];
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> a[0] = 1);
        t.start();
        int k = a[0];
        t.join();
        assert k == 0 || k == 1;
    }
}
