// notify without holding the monitor.
// assertions: SAFE
// exceptions: UNSAFE
// races: SAFE
// deadlock: SAFE
// jvm: fails
public class NotifyWithoutMonitor {
    public static void main(String[] args) {
        Object signal = new Object();
        signal.notify();
    }
}
