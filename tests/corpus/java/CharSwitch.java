// A switch over a char that another thread may have changed: all of its cases are possible, the default is not.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class CharSwitch {
    static volatile char state = 'a';

    public static void main(String[] args) {
        new Thread(() -> state = 'b').start();
        switch (state) {
            case 'a':
            case 'b':
                break;
            default:
                assert false;
        }
    }
}
