// What a try statement opens is closed, also when something is thrown.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class TryWithResources {
    static class Res implements AutoCloseable { static int open; Res() { open++; } public void close() { open--; } }
    public static void main(String[] args) {
        try (Res r = new Res(); Res q = new Res()) { assert Res.open == 2; throw new RuntimeException(); } catch (RuntimeException e) { assert Res.open == 0; }
        assert Res.open == 0;
    }
}
