// A disk block whose lock changes with time: that of the inode while the block is in use, that of the busy bit while it is not.
// After CALVIN, section 6.3.
// assertions: SAFE
// contracts: SAFE
public class TimeVarying {
    static final Object mInode = new Object();
    static final Object mBusy = new Object();
    static boolean inode; //@ guarded_by mInode
    static boolean busy; //@ guarded_by mBusy
    //@ unwritable_by_env_if busy && mInode.holder == \tid || !busy && mBusy.holder == \tid
    static int block;

    //@ invariant mInode.holder == null && inode ==> busy
    //@ rely \old(mInode.holder == \tid && busy) ==> busy

    static class Thread1 extends Thread {
        public void run() {
            synchronized (mInode) {
                if (!inode) {
                    synchronized (mBusy) {
                        busy = true;
                    }
                    inode = true;
                }
                block = 1;
                assert block == 1;
            }
        }
    }

    static class Thread2 extends Thread {
        public void run() {
            synchronized (mBusy) {
                if (!busy) {
                    block = 0;
                    assert block == 0;
                }
            }
        }
    }

    public static void main(String[] args) {
        new Thread1().start();
        new Thread2().start();
    }
}
