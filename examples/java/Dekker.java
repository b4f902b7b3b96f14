// Dekker's algorithm in one round after the other. After CALVIN, section 6.1: each thread expects that nobody else
// changes its flags, and the invariant is strengthened so that each step keeps it.
// assertions: SAFE
// contracts: SAFE
// jvm: runs for ever
public class Dekker {
    static volatile boolean a1, a2;
    static volatile boolean cs1, cs2;

    // In Java the flag of the other thread is read in one step, and a thread says in another one that it is inside: that it
    // may go there, since it has read the flag, is in these.
    //@ ghost boolean in1
    //@ ghost boolean in2

    //@ invariant !(in1 && in2)
    //@ invariant (cs1 ==> in1) && (cs2 ==> in2)
    //@ invariant (in1 ==> a1) && (in2 ==> a2)

    static class Thread1 extends Thread {
        //@ env_assumption a1 == \old(a1) && cs1 == \old(cs1) && in1 == \old(in1)

        public void run() {
            while (true) {
                a1 = true;
                if (!a2) {
                    //@ set in1 = true
                    cs1 = true;
                    assert !cs2;
                    cs1 = false;
                    //@ set in1 = false
                }
                a1 = false;
            }
        }
    }

    static class Thread2 extends Thread {
        //@ env_assumption a2 == \old(a2) && cs2 == \old(cs2) && in2 == \old(in2)

        public void run() {
            while (true) {
                a2 = true;
                if (!a1) {
                    //@ set in2 = true
                    cs2 = true;
                    assert !cs1;
                    cs2 = false;
                    //@ set in2 = false
                }
                a2 = false;
            }
        }
    }

    public static void main(String[] args) {
        new Thread1().start();
        new Thread2().start();
    }
}
