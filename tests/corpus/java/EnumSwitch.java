// A switch over an enum whose constants are not in the order of the cases.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class EnumSwitch {
    enum Light {
        RED,
        AMBER,
        GREEN
    }

    static volatile Light light = Light.RED;

    static int seconds(Light light) {
        switch (light) {
            case GREEN:
                return 30;
            case RED:
                return 20;
            default:
                return 3;
        }
    }

    public static void main(String[] args) {
        new Thread(() -> light = Light.GREEN).start();
        int seconds = seconds(light);
        assert seconds == 20 || seconds == 30;
        assert seconds(Light.AMBER) == 3;
    }
}
