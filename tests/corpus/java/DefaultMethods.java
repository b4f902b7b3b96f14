// The most specific default method is called.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class DefaultMethods {
    interface A { default int f() { return 1; } int g(); }
    interface B extends A { default int f() { return 2 + A.super.f(); } }
    static class C implements A { public int g() { return 4; } }
    static class D extends C implements B { public int g() { return super.g() + 1; } }
    static class E extends C { }
    interface I { int K = 7; static int k() { return K + 1; } }
    public static void main(String[] args) {
        A c = new C(), d = new D(), e = new E();
        assert c.f() == 1 && d.f() == 3 && d.g() == 5 && e.f() == 1 && e.g() == 4 && I.k() == 8;
    }
}
