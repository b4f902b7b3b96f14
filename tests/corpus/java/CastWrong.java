// An object of a sibling class.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
public class CastWrong {
    static class A { } static class B extends A { } static class C extends A { }
    public static void main(String[] args) { A[] all = {new B(), new C()}; B b = (B) all[0]; B c = (B) all[1]; }
}
