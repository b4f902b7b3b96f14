// Arrays that are made for what they are declared with take what fits; arrays of arrays at once.
// assertions: SAFE
// exceptions: SAFE
public class ArrayStores {
    private final Object[] items = new Object[2];
    static final int[][] grid = new int[2][3];

    public static void main(String[] args) {
        Thread[] threads = new Thread[1];
        threads[0] = new Thread();
        ArrayStores all = new ArrayStores();
        all.items[0] = threads;
        all.items[1] = "text";
        assert all.items[0] == threads && all.items[1] != null;
        grid[1][2] = 7;
        int[] copy = grid[1].clone();
        copy[0] = 5;
        assert copy[2] == 7 && copy.length == 3 && grid[1][0] == 0 && grid[0][2] == 0;
        int[][] same = grid.clone();
        assert same != grid && same[1] == grid[1];
        Object any = grid;
        assert any instanceof Object;
    }
}
