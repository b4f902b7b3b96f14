// switch over numbers, loops with break and continue, conditional expressions, arithmetic of int and long.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
// jvm: same
public class Switches {
    static int named(int value) {
        switch (value) {
            case 0:
            case 1:
                return 10;
            case 2:
                value += 5;
            case 1000:
                return value;
            default:
                return value < 0 ? -1 : 99;
        }
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = -1; i < 5; i++) {
            if (i == 3) {
                continue;
            }
            sum += named(i);
            if (sum > 120) {
                break;
            }
        }
        assert sum == 125;
        long wide = Integer.MAX_VALUE;
        int wrapped = Integer.MAX_VALUE + 1 + sum - sum;
        assert wide + 1 == 2147483648L && wrapped == Integer.MIN_VALUE;
        assert -7 / 2 == -3 && -7 % 2 == -1 && (sum & 15) == 13 && -1 >>> 28 == 15;
        char letter = 'a';
        letter += 1;
        byte small = (byte) (sum + 10);
        assert letter == 'b' && small == -121;
        int[] table = {3, 1, 2};
        int best = table[0];
        for (int entry : table) {
            best = Math.min(best, entry);
        }
        assert best == 1 && table.length == 3;
    }
}
