// An enum with volatile state, its values and a switch over it.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.atomic.*;
public class EnumBodies {
    enum State { NEW, RUN, DONE }
    static volatile State s = State.NEW;
    static final AtomicLong n = new AtomicLong();
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { s = State.RUN; n.addAndGet(5); s = State.DONE; });
        t.start(); t.join();
        switch (s) { case NEW: case RUN: assert false; break; case DONE: n.incrementAndGet(); }
        assert n.get() == 6 && s.ordinal() == 2;
        assert State.values()[1] == State.RUN;
    }
}
