// Patterns and records.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class InstanceOfArrays {
    interface Shape { int area(); }
    record Square(int side) implements Shape { public int area() { return side * side; } }
    static final class Unit implements Shape { public int area() { return 1; } }
    static int sum(Shape[] all) { int s = 0; for (Shape one : all) { if (one instanceof Square q && q.side() > 1) s += q.side(); s += one.area(); } return s; }
    public static void main(String[] args) {
        Shape[] all = {new Square(3), new Unit(), new Square(1)};
        assert sum(all) == 3 + 9 + 1 + 1;
        Object o = all[1];
        assert !(o instanceof Square) && o instanceof Shape;
    }
}
