// Numbers wrap, shifts take the low bits, and conversions cut off.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class Wraps {
    static int f(int a, int b) { return a << b; }
    public static void main(String[] args) {
        int m = Integer.MAX_VALUE; m++;
        assert m == Integer.MIN_VALUE;
        assert -m == m;
        assert m / -1 == m;
        assert m % -1 == 0;
        assert f(1, 33) == 2 && f(1, -1) == Integer.MIN_VALUE;
        assert (-8 >> 1) == -4 && (f(-1, 0) >>> 28) == 15;
        long l = Long.MIN_VALUE; l--;
        assert l == Long.MAX_VALUE;
        assert (int) 0x1_0000_0001L == 1;
        long q = 0x1_8000_0000L + f(0,0);
        assert (int) q == Integer.MIN_VALUE;
        byte b = (byte) f(1, 7);
        assert b == -128;
        b >>>= 1;
        assert b == -64;
        b += 200;
        assert b == -120;
        char c = (char) f(-1, 0);
        assert c == 65535;
        c++;
        assert c == 0;
        short s = (short) f(1, 15);
        assert s == -32768;
        s--;
        assert s == 32767;
        assert -7 / f(2, 0) == -3 && -7 % f(2, 0) == -1;
        assert (f(1, 31) ^ -1) == Integer.MAX_VALUE;
        assert ~f(5, 0) == -6;
        long x = f(1, 31);
        assert x < 0 && (x & 0xFFFFFFFFL) == 2147483648L;
        assert 1L << f(40, 0) == 1099511627776L;
        assert (1L << f(65,0)) == 2;
        assert (-1L >>> f(63,0)) == 1;
        int i = 5; i = i++ + ++i; assert i == 12;
        i += 3.7 > 2 ? 1 : 0;
        assert i == 13;
        boolean t = f(1,0) == 1 ^ f(1,1) == 2;
        assert !t;
        assert Math.abs(Integer.MIN_VALUE + f(0,0)) == Integer.MIN_VALUE;
    }
}
