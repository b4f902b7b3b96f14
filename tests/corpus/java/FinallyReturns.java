// What a finally block returns, or breaks off, counts; the last assertion is wrong.
// jvm: fails
// assertions: UNSAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class FinallyReturns {
    static int f(int n) { try { if (n == 0) throw new RuntimeException(); return n; } catch (RuntimeException e) { return -1; } finally { n = 100; } }
    static int g() { int i = 0; while (true) { try { if (i++ < 3) continue; break; } finally { if (i == 2) return i * 10; } } return i; }
    static int h() { for (int i = 0; ; i++) { try { if (i == 2) return i; throw new Exception(); } catch (Exception e) { if (i > 5) return -1; } } }
    public static void main(String[] args) throws Exception {
        assert f(0) == -1 && f(3) == 3;
        assert g() == 20;
        assert h() == 2;
        assert f(1) == 2;
    }
}
