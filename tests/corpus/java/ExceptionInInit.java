// A constructor that throws.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
public class ExceptionInInit {
    final int v;
    ExceptionInInit(int k) { if (k < 0) throw new IllegalArgumentException("negative"); v = k; }
    public static void main(String[] args) { new ExceptionInInit(3); new ExceptionInInit(-3); }
}
