// Constants of an enum with methods of their own.
// assertions: SAFE
// exceptions: SAFE
public class EnumWithBodies {
    enum Operation {
        PLUS {
            int of(int a, int b) {
                return a + b;
            }
        },
        MINUS {
            int of(int a, int b) {
                return a - b;
            }
        };

        abstract int of(int a, int b);
    }

    public static void main(String[] args) {
        int sum = 0;
        for (Operation operation : Operation.values()) {
            sum += operation.of(5, 3);
        }
        assert sum == 10;
        assert Operation.MINUS.of(1, 2) == -1;
    }
}
