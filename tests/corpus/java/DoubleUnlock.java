// Once more given back than taken.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.locks.*;
public class DoubleUnlock {
    public static void main(String[] args) { ReentrantLock l = new ReentrantLock(); l.lock(); l.lock(); l.unlock(); l.unlock(); l.unlock(); }
}
