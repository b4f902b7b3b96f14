// An array that the monitor of a class guards: a contract with a quantifier, and a loop with an invariant.
// assertions: SAFE
// exceptions: SAFE
// races: SAFE
// deadlock: SAFE
// contracts: SAFE
public class ArrayContract {
    static final int[] slots = new int[2];
    //@ rely \old(ArrayContract.class.holder == \tid) ==> (\forall int i; 0 <= i && i < 2; slots[i] == \old(slots[i]))

    static class Filler extends Thread {
        public void run() {
            synchronized (ArrayContract.class) {
                slots[0] = 0;
                slots[1] = 0;
                int round = 0;
                //@ loop_invariant ArrayContract.class.holder == \tid && 0 <= round && round <= 2 && slots[0] == round && slots[1] == round
                while (round < 2) {
                    slots[0] = slots[0] + 1;
                    slots[1] = slots[1] + 1;
                    round++;
                }
                assert slots[0] == 2 && slots[1] == 2;
            }
        }
    }

    public static void main(String[] args) {
        new Filler().start();
        new Filler().start();
    }
}
