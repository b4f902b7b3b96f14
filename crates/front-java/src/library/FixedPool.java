package threadwise;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * What stands for the pools of java.util.concurrent.Executors: threads are started with the first tasks, and take the others in
 * their order. Nobody waits here in a way that may end by itself, so that a pool that is stuck is. Methods without a body are not known.
 */
public final class FixedPool implements ExecutorService {
    private final int size;
    private int workers;
    private boolean isShutdown;
    private Task first;
    private Task last;
    /** For each task that waits, and one more when there will be no more tasks. */
    private final Semaphore ready = new Semaphore(0);
    private final CountDownLatch over = new CountDownLatch(1);

    private FixedPool(int size) {
        this.size = size;
    }

    public static ExecutorService newFixedThreadPool(int size) {
        if (size <= 0) {
            throw new IllegalArgumentException();
        }
        return new FixedPool(size);
    }

    public static ExecutorService newSingleThreadExecutor() {
        return new FixedPool(1);
    }

    private abstract static class Task {
        Task next;

        abstract void run();
    }

    /** What goes wrong in it is the thread's own. */
    private static final class Plain extends Task {
        private final Runnable code;

        Plain(Runnable code) {
            this.code = code;
        }

        void run() {
            code.run();
        }
    }

    private abstract static class Promise<T> extends Task implements Future<T> {
        T value;
        Throwable error;
        final CountDownLatch done = new CountDownLatch(1);

        public T get() throws InterruptedException, ExecutionException {
            done.await();
            if (error != null) {
                throw new ExecutionException(error);
            }
            return value;
        }

        public boolean isDone() {
            return done.getCount() == 0;
        }

        public boolean isCancelled() {
            return false;
        }

        public native T get(long time, TimeUnit unit);

        public native boolean cancel(boolean interrupts);
    }

    private static final class Called<T> extends Promise<T> {
        private final Callable<T> code;

        Called(Callable<T> code) {
            this.code = code;
        }

        void run() {
            try {
                value = code.call();
            } catch (Throwable thrown) {
                error = thrown;
            }
            done.countDown();
        }
    }

    private static final class Ran<T> extends Promise<T> {
        private final Runnable code;

        Ran(Runnable code) {
            this.code = code;
        }

        void run() {
            try {
                code.run();
            } catch (Throwable thrown) {
                error = thrown;
            }
            done.countDown();
        }
    }

    private static final class Worker extends Thread {
        private final FixedPool pool;
        private final Task task;

        Worker(FixedPool pool, Task task) {
            this.pool = pool;
            this.task = task;
        }

        public void run() {
            Task current = task;
            while (current != null) {
                current.run();
                current = pool.take();
            }
        }
    }

    private Task take() {
        ready.acquireUninterruptibly();
        Task task;
        boolean isLast = false;
        synchronized (this) {
            task = first;
            if (task != null) {
                first = task.next;
            } else {
                workers--;
                isLast = workers == 0;
            }
        }
        if (task == null) {
            ready.release();
        }
        if (isLast) {
            over.countDown();
        }
        return task;
    }

    private synchronized void put(Task task) {
        if (isShutdown) {
            throw new RejectedExecutionException();
        }
        if (workers < size) {
            workers++;
            new Worker(this, task).start();
            return;
        }
        if (first == null) {
            first = task;
        } else {
            last.next = task;
        }
        last = task;
        ready.release();
    }

    public void execute(Runnable code) {
        if (code == null) {
            throw new NullPointerException();
        }
        put(new Plain(code));
    }

    public <T> Future<T> submit(Callable<T> code) {
        if (code == null) {
            throw new NullPointerException();
        }
        Called<T> task = new Called<>(code);
        put(task);
        return task;
    }

    public Future<?> submit(Runnable code) {
        if (code == null) {
            throw new NullPointerException();
        }
        Ran<Object> task = new Ran<>(code);
        put(task);
        return task;
    }

    public void shutdown() {
        boolean isFirst;
        boolean isOver;
        synchronized (this) {
            isFirst = !isShutdown;
            isShutdown = true;
            isOver = workers == 0;
        }
        if (isFirst) {
            ready.release();
        }
        if (isOver) {
            over.countDown();
        }
    }

    public synchronized boolean isShutdown() {
        return isShutdown;
    }

    public boolean isTerminated() {
        return over.getCount() == 0;
    }

    /** That it waits for ever was looked at where it is called. */
    public boolean awaitTermination(long time, TimeUnit unit) throws InterruptedException {
        over.await();
        return true;
    }

    public native List<Runnable> shutdownNow();

    public native <T> Future<T> submit(Runnable code, T result);

    public native <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> all);

    public native <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> all, long time, TimeUnit unit);

    public native <T> T invokeAny(Collection<? extends Callable<T>> all);

    public native <T> T invokeAny(Collection<? extends Callable<T>> all, long time, TimeUnit unit);

    public native void close();
}
