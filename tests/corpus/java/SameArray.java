// Two static fields that refer to the same array.
// assertions: UNSAFE
// exceptions: SAFE
// races: UNSAFE
// deadlock: SAFE
public class SameArray {
    static int[] a = {0};
    static int[] b = a;
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { b[0]++; });
        t.start();
        a[0]++;
        t.join();
        assert a[0] == 2;
    }
}
