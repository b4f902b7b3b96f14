// Labels, and conditions that are not looked at.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class LoopLabels {
    public static void main(String[] args) {
        int n = 0;
        outer: for (int i = 0; i < 3; i++) { for (int j = 0; j < 3; j++) { if (j == 2) continue outer; if (i == 2) break outer; n += 10 * i + j; } }
        assert n == 22;
        int k = 0; do { k++; } while (k < 3 && k != 2); assert k == 2;
        int[][] g = {{1, 2}, {3}}; int s = 0; for (int[] r : g) for (int c : r) s += c; assert s == 6;
        boolean t = false; boolean u = t && f() || !t & g(); assert u && calls == 1;
    }
    static int calls; static boolean f() { calls += 10; return true; } static boolean g() { calls++; return true; }
}
