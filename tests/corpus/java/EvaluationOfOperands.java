// Operands are evaluated from left to right.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class EvaluationOfOperands {
    static int n; static int[] a = new int[4];
    static int next() { return ++n; }
    static int[] arr() { n *= 10; return a; }
    public static void main(String[] args) {
        int x = 5; x = x++ + ++x; assert x == 12;
        int y = next() * 100 + next() * 10 + next(); assert y == 123;
        n = 1; arr()[next() - 11] = next(); assert a[0] == 12 && n == 12;
        int i = 0; a[i] = i = 2; assert a[0] == 2 && i == 2;
        i = 1; i += i++ + i--; assert i == 4;
        int k = 3; k ^= k << 1; assert k == 5;
        a[1] = 7; a[1] -= a[1]++ - 2; assert a[1] == 2;
        long l = 1; l += 0.0 > 1 ? 1 : 2; assert l == 3;
    }
}
