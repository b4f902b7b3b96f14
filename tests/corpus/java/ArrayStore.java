// An array of texts is declared as one of objects, and gets an object.
// jvm: fails
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
public class ArrayStore {
    public static void main(String[] args) {
        Object[] a = new String[1];
        a[0] = new Object();
    }
}
