// A private method is not overridden.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class PrivateNotOverridden {
    static class A {
        private int f() { return 1; }
        int g() { return f(); }
    }
    static class B extends A {
        public int f() { return 2; }
    }
    static class C extends B {
        int h() { return f() + g(); }
    }
    public static void main(String[] args) {
        assert new B().g() == 1 && new B().f() == 2 && new C().h() == 3;
        A a = new C();
        assert a.f() == 1 && a.g() == 1 && ((B) a).f() == 2;
    }
}
