// A static synchronized method takes the monitor of the class.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class ClassAsMonitor {
    static int n;
    static synchronized void a() { n++; }
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(ClassAsMonitor::a);
        t.start();
        synchronized (ClassAsMonitor.class) { n++; }
        t.join();
        assert n == 2;
    }
}
