// A finally that returns hides what was thrown or returned.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class FinallyOverrides {
    @SuppressWarnings("finally")
    static int f(int x) {
        try { if (x == 0) throw new IllegalStateException(); return 1; }
        finally { return 2 + x; }
    }
    static int g() { int x = 1; try { return x; } finally { x = 5; } }
    static int h() { for (int i = 0; ; i++) { try { if (i == 2) break; continue; } finally { i += 0; } } return 3; }
    public static void main(String[] args) {
        assert f(0) == 2 && f(4) == 6 && g() == 1 && h() == 3;
    }
}
