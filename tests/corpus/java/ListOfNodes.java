// A linked list under a monitor.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
public class ListOfNodes {
    static class Node {
        final int value;
        final Node next;

        Node(int value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    private Node head;

    synchronized void push(int value) {
        head = new Node(value, head);
    }

    synchronized int sum() {
        int sum = 0;
        for (Node node = head; node != null; node = node.next) {
            sum += node.value;
        }
        return sum;
    }

    public static void main(String[] args) throws InterruptedException {
        ListOfNodes list = new ListOfNodes();
        Thread other = new Thread(() -> list.push(2));
        other.start();
        list.push(1);
        other.join();
        assert list.sum() == 3;
    }
}
