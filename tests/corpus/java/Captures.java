// Lambdas and inner classes keep what they capture.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.function.*;
public class Captures {
    int field = 3;
    IntSupplier own(int k) { return () -> field + k; }
    class Inner { int v = field * 2; class Deep { int w = v + field; } }
    public static void main(String[] args) {
        Captures c = new Captures();
        IntSupplier s = c.own(4);
        c.field = 10;
        assert s.getAsInt() == 14;
        IntUnaryOperator add = x -> x + s.getAsInt();
        IntBinaryOperator both = (x, y) -> add.applyAsInt(x) * y;
        assert both.applyAsInt(1, 2) == 30;
        Captures.Inner i = c.new Inner();
        c.field = 1;
        Captures.Inner.Deep d = i.new Deep();
        assert i.v == 20 && d.w == 21;
        int[] cell = {0};
        Runnable r = () -> cell[0]++;
        r.run(); r.run();
        assert cell[0] == 2;
    }
}
