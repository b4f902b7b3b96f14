// A cast that is wrong when the other thread was first.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
public class ClassCast {
    static class A {
        int a = 1;
    }

    static class B {
    }

    static volatile Object shared = new A();

    public static void main(String[] args) {
        Thread other = new Thread(() -> shared = new B());
        other.start();
        A seen = (A) shared;
        assert seen.a == 1;
    }
}
