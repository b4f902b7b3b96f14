// Switches over numbers, characters and enums.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class SwitchFallsThrough {
    enum E { A, B, C }
    static int f(int x) { int r = 0; switch (x) { case 1: r += 1; case 2: r += 2; break; default: r += 100; case -5: r += 5; } return r; }
    static int g(E e) { return switch (e) { case A -> 1; case B -> { int k = 2; yield k * 2; } case C -> 9; }; }
    static int h(char c) { switch (c) { case 'x': return 1; case 'y': return 2; } return 0; }
    public static void main(String[] args) {
        assert f(1) == 3 && f(2) == 2 && f(-5) == 5 && f(0) == 105;
        assert g(E.A) == 1 && g(E.B) == 4 && g(E.C) == 9 && E.C.ordinal() == 2;
        assert h('x') == 1 && h('y') == 2 && h('z') == 0;
    }
}
