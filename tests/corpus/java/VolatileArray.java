// That a field is volatile says nothing about the elements of the array it refers to.
// assertions: SAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
public class VolatileArray {
    static volatile int[] a = new int[2];
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { a[0] = 1; });
        t.start();
        a[0] = 2;
        t.join();
    }
}
