// A stack that is changed by compareAndSet.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
import java.util.concurrent.atomic.*;
public class StackOfNodes {
    static class Node { final int v; final Node next; Node(int v, Node n) { this.v = v; next = n; } }
    static final AtomicReference<Node> top = new AtomicReference<>();
    static void push(int v) { Node t; do { t = top.get(); } while (!top.compareAndSet(t, new Node(v, t))); }
    static int pop() { Node t; do { t = top.get(); if (t == null) return -1; } while (!top.compareAndSet(t, t.next)); return t.v; }
    public static void main(String[] args) throws Exception {
        Thread a = new Thread(() -> push(1));
        a.start();
        push(2);
        int x = pop();
        assert x == 1 || x == 2;
        a.join();
        int y = pop();
        assert x + y == 3;
        assert pop() == -1;
    }
}
