// A field that the monitor of its own object guards: a contract about every object of the class.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
// contracts: SAFE
public class GuardedByThis {
    private int balance; //@ guarded_by this

    synchronized void deposit() {
        int before = balance;
        balance = before + 1;
        assert balance == before + 1;
    }

    static final GuardedByThis account = new GuardedByThis();

    static class Customer extends Thread {
        public void run() {
            account.deposit();
        }
    }

    public static void main(String[] args) {
        new Customer().start();
        new Customer().start();
    }
}
