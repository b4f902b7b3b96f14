// Operands from left to right, and what is stored in small types.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class EvaluationOrder {
    static int c;
    static int next() { return ++c; }
    static int[] arr() { c += 10; return new int[20]; }
    static boolean t() { c++; return true; } static boolean f() { c++; return false; }
    public static void main(String[] args) throws Exception {
        int r = next() * 10 + next();
        assert r == 12;
        arr()[next()] = next();
        assert c == 14;
        if (f() && t()) c = 100;
        assert c == 15;
        if (f() & t()) c = 100;
        assert c == 17;
        if (t() || t()) c++;
        assert c == 19;
        int i = 1; i = i + (i = 5) * i; assert i == 26;
        int[] a = {0, 0, 0}; int k = 0; a[k++] = k++; assert a[0] == 1 && k == 2;
        a[k] += k = 1; assert a[2] == 1 && k == 1;
        int x = 5; x -= x++ - --x; assert x == 5;
        short s = 10; s /= 3; s <<= 14; assert s == -16384;
        byte b = -1; b >>>= 10; assert b == -1;
        int sh = 1; sh <<= 33L; assert sh == 2;
        long l = 1; l += Integer.MAX_VALUE; assert l == 2147483648L;
        l = Integer.MAX_VALUE + 1; assert l == Integer.MIN_VALUE;
        char ch = 'z'; int d = ch - 'a'; assert d == 25;
        assert (char) (ch + 1) == '{';
        assert (5 / -2) == -2 && (-5 % 3) == -2 && (5 % -3) == 2;
        assert Long.MIN_VALUE / -1L == Long.MIN_VALUE && Long.MIN_VALUE % (x - 6) == 0;
        assert Integer.MIN_VALUE == -Integer.MIN_VALUE;
        assert (0x7fffffff * 2) == -2;
        assert 1000000 * 1000000 == -727379968;
        assert (x > 3 ? 1L : 2) == 1L;
        assert (byte) 128 == (byte) -128;
        boolean[] bs = new boolean[2]; bs[1] = true; bs[0] ^= true; assert bs[0] && (bs[0] & bs[1]);
        char[] cs = new char[1]; cs[0] = (char) 70000; assert cs[0] == 4464; cs[0]--; assert cs[0]-- == 4463;
        byte[] by = new byte[1]; by[0] = (byte) 300; assert by[0] == 44; by[0] += 100; assert by[0] == -112;
        short[] ss = new short[1]; ss[0] = (short) 40000; assert ss[0] == -25536;
    }
}
