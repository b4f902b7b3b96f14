// A stack with compareAndSet: both nodes are in it in the end.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.atomic.AtomicReference;

public class AtomicReferences {
    static class Node {
        Node next;
    }

    static final AtomicReference<Node> head = new AtomicReference<>();

    static void push() {
        Node node = new Node();
        Node old = head.get();
        node.next = old;
        while (!head.compareAndSet(old, node)) {
            old = head.get();
            node.next = old;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(AtomicReferences::push);
        t.start();
        push();
        t.join();
        assert head.get() != null && head.get().next != null && head.get().next.next == null;
    }
}
