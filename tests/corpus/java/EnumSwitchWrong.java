// A switch over an enum that forgets what another thread may have set.
// assertions: UNSAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class EnumSwitchWrong {
    enum State {
        NEW,
        RUNNING,
        DONE
    }

    static volatile State state = State.NEW;

    public static void main(String[] args) {
        new Thread(() -> {
            state = State.RUNNING;
            state = State.DONE;
        }).start();
        switch (state) {
            case NEW:
            case DONE:
                break;
            default:
                assert false;
        }
    }
}
