// A call through an interface with two classes behind it, from two threads.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class InterfaceTargets {
    interface Shape {
        int sides();

        default int corners() {
            return sides();
        }
    }

    static class Triangle implements Shape {
        public int sides() {
            return 3;
        }
    }

    static class Square implements Shape {
        public int sides() {
            return 4;
        }
    }

    static volatile Shape shape = new Triangle();

    public static void main(String[] args) {
        new Thread(() -> shape = new Square()).start();
        int corners = shape.corners();
        assert corners == 3 || corners == 4;
    }
}
