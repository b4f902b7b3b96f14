// Which method runs depends on the class of the object; fields of parents are there.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
// jvm: same
public class Inheritance {
    interface Shape {
        int area();

        default int twice() {
            return 2 * area();
        }
    }

    abstract static class Named implements Shape {
        final int id;

        Named(int id) {
            this.id = id;
        }
    }

    static class Square extends Named {
        final int side;

        Square(int id, int side) {
            super(id);
            this.side = side;
        }

        public int area() {
            return side * side;
        }
    }

    static class Strip extends Square {
        Strip(int side) {
            super(9, side);
        }

        @Override
        public int area() {
            return super.area() / 2 + id;
        }
    }

    static Shape chosen;

    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(() -> {
            synchronized (Inheritance.class) {
                chosen = new Square(1, 3);
            }
        });
        other.start();
        Shape shape;
        synchronized (Inheritance.class) {
            shape = chosen == null ? new Strip(4) : chosen;
        }
        int area = shape.twice();
        assert area == 34 || area == 18;
        assert shape instanceof Square && ((Square) shape).side >= 3;
        other.join();
    }
}
