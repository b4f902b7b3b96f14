// Fields hide, methods override, and constructors call what is overridden before fields are set.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class InheritedFields {
    static class A { int x = 1; int get() { return x; } static int s() { return 1; } int y; A() { init(); } void init() { y = 10; } }
    static class B extends A { int x = 2; int z = 5; int get() { return x * 10 + super.get(); } static int s() { return 2; }
        void init() { y = 20; z = 9; x = 8; } }
    public static void main(String[] args) {
        A a = new B();
        assert a.x == 1 && ((B) a).x == 2 && a.get() == 21 && A.s() == 1 && B.s() == 2;
        assert a.y == 20 && ((B) a).z == 5;
    }
}
