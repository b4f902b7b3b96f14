// Narrow types, shifts and what overflows.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class Narrowing {
    static byte b = (byte) 200; static short s = (short) 70000; static char c = (char) -1; static boolean z;
    public static void main(String[] args) {
        assert b == -56 && s == 4464 && c == 65535;
        b += 100; assert b == 44; b += 100; assert b == -112;
        c++; assert c == 0; c--; assert c == 65535;
        s *= 2; assert s == 8928; s <<= 3; assert s == 5888;
        b >>>= 1; assert b == -56;
        int i = 1 << 33; assert i == 2; long l = 1L << 65; assert l == 2L;
        assert (-8 >> 1) == -4 && (-8 >>> 28) == 15 && (-8L >>> 60) == 15L;
        assert (char) ('a' + 1) == 'b' && (byte) 0x80 == -128;
        z ^= true; assert z; z |= false; assert z; z &= false; assert !z;
        byte[] a = {-1}; a[0] >>>= 1; assert a[0] == -1; a[0]++; assert a[0] == 0;
        char[] d = {'\uffff'}; d[0] += 2; assert d[0] == 1;
        int x = Integer.MIN_VALUE; assert -x == x && Math.abs(x) == x && x / -1 == x && x % -1 == 0;
        assert -7 / 2 == -3 && -7 % 2 == -1 && 7 % -2 == 1;
        long big = Long.MIN_VALUE; assert big / -1 == big && (int) (big >>> 32) == Integer.MIN_VALUE;
        assert (int) 4294967297L == 1 && (short) 98304 == -32768;
        assert Integer.MAX_VALUE + 1 == Integer.MIN_VALUE;
        int shift = -1; assert 1 << shift == Integer.MIN_VALUE && 1L << shift == Long.MIN_VALUE;
    }
}
