package threadwise;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs a program whose threads stop before each access of memory and each call of the library, and lets one of them go on at
 * a time: as it is told, or along random ways, or along all ways. Monitors, locks and the rest of the library are the real ones;
 * that a thread is blocked is what the virtual machine says of it.
 */
public final class Director {
    /** Where an instruction stands. */
    record Site(String file, int line) {}

    /** What a thread is about to do. */
    record Event(String kind, Object on, String name, boolean plain, int site) {
        boolean isAccess() {
            return kind.equals("READ") || kind.equals("WRITE");
        }

        boolean races(Event other) {
            return isAccess() && other.isAccess() && plain && other.plain && on == other.on && name.equals(other.name)
                && (kind.equals("WRITE") || other.kind.equals("WRITE"));
        }
    }

    /** A thread of the program. */
    static final class Actor {
        final int number;
        final Thread thread;
        volatile Event pending;
        volatile boolean goes;
        volatile Throwable error;
        /** The thread whose end it waits for. */
        volatile Thread joined;
        /** Who notifies it so that it goes on. */
        volatile Thread waker;
        /** It does what nobody else sees: static parts of classes. */
        int quiet;

        Actor(int number, Thread thread) {
            this.number = number;
            this.thread = thread;
        }

        boolean isPending() {
            return pending != null && !goes;
        }

        boolean hasEnded() {
            return thread.getState() == Thread.State.TERMINATED;
        }
    }

    /** One execution of the program. */
    static final class Run {
        final List<Actor> actors = new ArrayList<>();
        final Map<Thread, Actor> byThread = new IdentityHashMap<>();
        final Map<Object, Integer> numbers = new IdentityHashMap<>();
        final Map<Condition, Lock> locks = new IdentityHashMap<>();
        /** Who may go on because somebody was notified: one of each set. */
        final Map<Object, List<List<Actor>>> notified = new IdentityHashMap<>();
        final Map<Object, List<Actor>> waiting = new IdentityHashMap<>();

        synchronized Actor add(Thread thread) {
            Actor actor = new Actor(actors.size(), thread);
            actors.add(actor);
            byThread.put(thread, actor);
            return actor;
        }

        synchronized Actor of(Thread thread) {
            return byThread.get(thread);
        }

        synchronized List<Actor> all() {
            return new ArrayList<>(actors);
        }

        synchronized int number(Object object) {
            return object == null ? 0 : numbers.computeIfAbsent(object, unknown -> numbers.size() + 1);
        }

        synchronized void waits(Object on, Actor actor) {
            waiting.computeIfAbsent(on, unknown -> new ArrayList<>()).add(actor);
        }

        synchronized void notifies(Object on, boolean all) {
            List<Actor> there = waiting.getOrDefault(on, List.of());
            List<List<Actor>> sets = notified.computeIfAbsent(on, unknown -> new ArrayList<>());
            if (!all && !there.isEmpty()) {
                sets.add(new ArrayList<>(there));
            }
            for (Actor actor : all ? there : List.<Actor>of()) {
                sets.add(new ArrayList<>(List.of(actor)));
            }
        }

        synchronized boolean wasNotified(Actor actor) {
            List<List<Actor>> sets = notified.getOrDefault(actor.pending.on(), List.of());
            return sets.stream().anyMatch(set -> set.contains(actor));
        }

        /** A thread has gone on: nobody else does for the same notification, nor it for another one. */
        synchronized void woke(Object on, Actor actor) {
            waiting.get(on).remove(actor);
            List<List<Actor>> sets = notified.getOrDefault(on, new ArrayList<>());
            sets.stream().filter(set -> set.contains(actor)).findFirst().ifPresent(sets::remove);
            sets.forEach(set -> set.remove(actor));
        }
    }

    private static final List<Site> SITES = new ArrayList<>();
    private static volatile Run run = new Run();
    private static boolean spurious = true;
    private static boolean isLed;
    /** So long a thread must look blocked before it is taken to be. */
    private static final int CALM = 3;
    /** And so long before that is called a deadlock. */
    private static final int LONG_CALM = 150;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    static synchronized int site(String file, int line) {
        SITES.add(new Site(file, line));
        return SITES.size() - 1;
    }

    static synchronized Site site(int number) {
        return SITES.get(number);
    }

    // What the program calls.

    private static Actor current() {
        Actor actor = run.of(Thread.currentThread());
        while (actor == null) {
            // A thread of an execution that is over.
            LockSupport.park();
        }
        return actor;
    }

    private static void before(String kind, Object on, String name, boolean plain, int site) {
        Actor actor = current();
        if (actor.quiet == 0) {
            stop(actor, new Event(kind, on, name, plain, site));
        }
    }

    private static void stop(Actor actor, Event event) {
        actor.pending = event;
        while (!actor.goes) {
            LockSupport.park(actor);
        }
        actor.pending = null;
        actor.goes = false;
    }

    public static void quiet(int more) {
        current().quiet += more;
    }

    public static void field(Object on, String name, String sort, boolean writes, int site) {
        // Whoever chooses the ways has no use for fields that do not change.
        if (isLed || !sort.equals("final")) {
            before(writes ? "WRITE" : "READ", on, name, sort.equals("plain"), site);
        }
    }

    public static void element(Object array, int index, boolean writes, int site) {
        before(writes ? "WRITE" : "READ", array, "[" + index + "]", true, site);
    }

    public static void enter(Object on, int site) {
        before("ENTER", on, "monitor", false, site);
    }

    public static void exit(Object on, int site) {
        before("EXIT", on, "monitor", false, site);
    }

    public static void call(String name, int site) {
        before("CALL", null, name, false, site);
    }

    public static void start(Thread thread, int site) {
        before("START", thread, "start", false, site);
        Run now = run;
        if (thread.getState() == Thread.State.NEW && now.of(thread) == null) {
            now.add(thread);
        }
        thread.start();
    }

    public static void join(Thread thread, int site) throws InterruptedException {
        before("JOIN", thread, "join", false, site);
        Actor actor = current();
        actor.joined = thread;
        thread.join();
        actor.joined = null;
    }

    public static void sleep(long time) {}

    public static void waitOn(Object on, int site) throws InterruptedException {
        before("CALL", on, "wait", false, site);
        if (on == null || !Thread.holdsLock(on)) {
            on.wait();
        }
        Actor actor = current();
        Run now = run;
        now.waits(on, actor);
        // The real monitor is given back here; whoever lets this thread go on notifies, and others wait again.
        actor.pending = new Event("WAKE", on, "wait", false, site);
        while (!actor.goes) {
            on.wait();
        }
        actor.pending = null;
        actor.goes = false;
        now.woke(on, actor);
    }

    public static void notifyOne(Object on, int site) {
        before("CALL", on, "notify", false, site);
        on.notify();
        run.notifies(on, false);
    }

    public static void notifyEach(Object on, int site) {
        before("CALL", on, "notifyAll", false, site);
        on.notifyAll();
        run.notifies(on, true);
    }

    public static Condition newCondition(Lock lock) {
        Condition condition = lock.newCondition();
        synchronized (run) {
            run.locks.put(condition, lock);
        }
        return condition;
    }

    public static void await(Condition condition, int site) throws InterruptedException {
        before("CALL", condition, "await", false, site);
        Run now = run;
        Lock lock;
        synchronized (now) {
            lock = now.locks.get(condition);
        }
        if (!(lock instanceof ReentrantLock real) || !real.isHeldByCurrentThread()) {
            condition.await();
            return;
        }
        Actor actor = current();
        now.waits(condition, actor);
        int holds = real.getHoldCount();
        for (int i = 0; i < holds; i++) {
            real.unlock();
        }
        stop(actor, new Event("WAKE", condition, "await", false, site));
        for (int i = 0; i < holds; i++) {
            real.lock();
        }
        now.woke(condition, actor);
    }

    public static void signal(Condition condition, int site) {
        before("CALL", condition, "signal", false, site);
        condition.signal();
        run.notifies(condition, false);
    }

    public static void signalAll(Condition condition, int site) {
        before("CALL", condition, "signalAll", false, site);
        condition.signalAll();
        run.notifies(condition, true);
    }

    public static int await(CyclicBarrier barrier, int site) throws InterruptedException, BrokenBarrierException {
        before("CALL", barrier, "await", false, site);
        int number = barrier.await();
        before("PASS", barrier, "await", false, site);
        return number;
    }

    // How threads are led.

    /** Lets a thread go on; it is not waited for. */
    private static void go(Actor actor) {
        Event event = actor.pending;
        actor.goes = true;
        if (event.kind().equals("WAKE") && !(event.on() instanceof Condition)) {
            Thread waker = new Thread(() -> {
                synchronized (event.on()) {
                    event.on().notifyAll();
                }
            });
            waker.setDaemon(true);
            actor.waker = waker;
            waker.start();
        }
        LockSupport.unpark(actor.thread);
    }

    /** Whether a thread does nothing at the moment, and whether that is sure to stay so. */
    enum Calm { BUSY, SEEMS, SURE }

    /** A thread does nothing while it stands before something, has ended, or is blocked. */
    private static Calm calmOf(Actor actor) {
        if (actor.isPending() || actor.hasEnded()) {
            return Calm.SURE;
        }
        return switch (actor.thread.getState()) {
            case NEW, RUNNABLE -> Calm.BUSY;
            default -> blocked(actor);
        };
    }

    /** Whether a thread waits for what is not there: for a thread that has not ended, for a lock that another one holds. */
    private static Calm blocked(Actor actor) {
        ThreadInfo info = THREADS.getThreadInfo(actor.thread.getId());
        if (info == null || info.getThreadState() == Thread.State.RUNNABLE) {
            return Calm.BUSY;
        }
        boolean isMonitor = info.getThreadState() == Thread.State.BLOCKED;
        LockInfo lock = info.getLockInfo();
        boolean isStopped = lock != null && lock.getClassName().equals(Actor.class.getName());
        if (!isMonitor && (actor.pending != null || isStopped)) {
            // It was told to go on, and has not noticed yet; nobody can notify it while another thread holds the monitor.
            Thread waker = actor.waker;
            ThreadInfo other = isStopped || waker == null ? null : THREADS.getThreadInfo(waker.getId());
            boolean isHeld = other != null && other.getThreadState() == Thread.State.BLOCKED && isHeldByActor(other);
            return isHeld ? Calm.SURE : Calm.BUSY;
        }
        Thread joined = actor.joined;
        if (joined != null) {
            return joined.isAlive() ? Calm.SURE : Calm.BUSY;
        }
        if (isMonitor || lock != null && lock.getClassName().contains(".ReentrantLock")) {
            return isHeldByActor(info) ? Calm.SURE : Calm.BUSY;
        }
        // Whether a semaphore or a latch has woken it does not show.
        return settled.contains(actor) ? Calm.SURE : Calm.SEEMS;
    }

    /** Whether what a thread waits for is held by a thread of the program: not by one that only looks whether it may go on. */
    private static boolean isHeldByActor(ThreadInfo info) {
        int lock = info.getLockInfo() == null ? 0 : info.getLockInfo().getIdentityHashCode();
        for (Actor actor : run.all()) {
            if (actor.thread.getId() == info.getLockOwnerId()) {
                Event event = actor.pending;
                return event == null || !event.kind().equals("WAKE") || System.identityHashCode(event.on()) != lock;
            }
        }
        return false;
    }

    /** Threads that wait for what only some calls of the library give, and did so before the last step, which was none. */
    private static final Set<Actor> settled = new HashSet<>();

    /** Calls that may let others go on who wait in a way that does not show who has what they wait for. */
    private static final Set<String> RELEASING = Set.of("release", "countDown", "await", "unlock", "reset");

    /** Lets a thread take a step, and waits until no thread does anything. */
    private static void step(Actor actor) {
        if (RELEASING.contains(actor.pending.name())) {
            settled.clear();
        }
        go(actor);
        calm(CALM);
    }

    /** Waits until no thread does anything; whether that is sure, and not only seems so. */
    private static boolean calm(int wanted) {
        List<Integer> before = List.of();
        int calm = 0;
        for (int looks = 0; true; looks++) {
            List<Actor> all = run.all();
            List<Integer> now = new ArrayList<>();
            Calm least = Calm.SURE;
            boolean isAtRest = true;
            for (Actor actor : all) {
                Calm found = calmOf(actor);
                least = found.compareTo(least) < 0 ? found : least;
                isAtRest &= actor.isPending() || actor.hasEnded();
                now.add(31 * found.ordinal() + System.identityHashCode(actor.pending));
            }
            // What was seen of one thread may be different when the next is looked at, but not if all is as it was before.
            boolean isSame = now.equals(before);
            before = now;
            if (isAtRest || least == Calm.SURE && isSame) {
                return true;
            }
            calm = least == Calm.BUSY || !isSame ? 0 : calm + 1;
            if (least == Calm.SEEMS && calm >= wanted) {
                all.stream().filter(actor -> calmOf(actor) == Calm.SEEMS).forEach(settled::add);
                return false;
            }
            if (least == Calm.SEEMS) {
                LockSupport.parkNanos(200_000);
            } else if (looks < 20) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(20_000);
            }
        }
    }

    static boolean canGo(Actor actor) {
        return actor.isPending() && (spurious || !actor.pending.kind().equals("WAKE") || run.wasNotified(actor));
    }

    private static void begin(Path folder, String name) {
        Run now = new Run();
        run = now;
        ClassLoader loader = new Rewriter(folder);
        loader.setDefaultAssertionStatus(true);
        Thread main = new Thread(() -> {
            try {
                var method = loader.loadClass(name).getMethod("main", String[].class);
                method.setAccessible(true);
                method.invoke(null, (Object) new String[0]);
            } catch (java.lang.reflect.InvocationTargetException error) {
                now.of(Thread.currentThread()).error = error.getCause();
            } catch (ReflectiveOperationException error) {
                now.of(Thread.currentThread()).error = error;
            }
        });
        main.setDaemon(true);
        now.add(main);
        settled.clear();
        main.start();
        calm(CALM);
    }

    private static String status(Actor actor) {
        List<String> words = new ArrayList<>();
        words.add(Integer.toString(actor.number));
        Event event = actor.pending;
        if (actor.hasEnded() || event == null || !actor.isPending()) {
            Throwable error = actor.error;
            words.add(actor.hasEnded() ? (error == null ? "ended" : "failed") : "blocked");
            words.add(error == null ? "" : error.getClass().getName());
            words.add(error instanceof AssertionError ? "assertion" : "");
            return String.join("\t", words);
        }
        Site site = site(event.site());
        words.add(canGo(actor) ? "pending" : "waiting");
        words.add(event.kind());
        words.add(Integer.toString(run.number(event.on())));
        words.add(event.name());
        words.add(event.plain() ? "plain" : "");
        words.add(site.file());
        words.add(Integer.toString(site.line()));
        return String.join("\t", words);
    }

    /** As somebody says, line by line: the number of the thread that goes on. */
    private static void led(PrintStream out) throws Exception {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        while (true) {
            run.all().forEach(actor -> out.println(status(actor)));
            out.println(".");
            out.flush();
            String line = orders.readLine();
            if (line == null) {
                return;
            }
            int number = Integer.parseInt(line);
            if (number >= 0) {
                step(run.all().get(number));
            } else {
                calm(CALM);
            }
        }
    }

    /** What went wrong in an execution that has come to its end. */
    private static String outcome(boolean isOver) {
        for (Actor actor : run.all()) {
            if (actor.error != null) {
                return actor.error instanceof AssertionError ? "assertions" : "exceptions";
            }
        }
        boolean isStuck = isOver && run.all().stream().anyMatch(actor -> !actor.hasEnded());
        return isStuck ? "deadlock" : "";
    }

    private static boolean isRace() {
        List<Actor> all = run.all().stream().filter(Actor::isPending).toList();
        return all.stream().anyMatch(one -> all.stream().anyMatch(
            other -> one != other && one.pending.races(other.pending)));
    }

    /** How the next thread is chosen, of so many. */
    interface Choice {
        int of(int count);
    }

    /** The threads that can go on; that nobody can is seen to be so for long. */
    private static List<Actor> able() {
        List<Actor> able = run.all().stream().filter(Director::canGo).toList();
        if (able.isEmpty() && !run.all().stream().allMatch(Actor::hasEnded)) {
            settled.clear();
            calm(LONG_CALM);
            able = run.all().stream().filter(Director::canGo).toList();
        }
        return able;
    }

    /** Runs the program once; what went wrong is said in words of properties. */
    private static String once(Path folder, String name, Choice choice, int most) {
        begin(folder, name);
        boolean raced = false;
        String wrong = "";
        for (int step = 0; step < most; step++) {
            raced |= isRace();
            List<Actor> able = able();
            wrong = outcome(able.isEmpty());
            if (able.isEmpty() || !wrong.isEmpty()) {
                break;
            }
            step(able.get(choice.of(able.size())));
        }
        run = new Run();
        return (wrong + (raced ? " races" : "")).trim();
    }

    /** Each program so often, one after the other; what went wrong in each execution. */
    private static void random(Path folder, String[] names, int runs, long seed, int most, PrintStream out) {
        for (String name : names) {
            Random random = new Random(seed);
            for (int i = 0; i < runs; i++) {
                out.println(name + "\t" + once(folder, name, random::nextInt, most));
                out.flush();
            }
        }
    }

    /** All ways through the program, one after the other, or so many of them. */
    private static void all(Path folder, String name, int runs, int most, PrintStream out) {
        List<int[]> way = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            int[] at = {0};
            String wrong = once(folder, name, count -> {
                if (at[0] == way.size()) {
                    way.add(new int[] {0, count});
                }
                return Math.min(way.get(at[0]++)[0], count - 1);
            }, most);
            out.println(wrong);
            out.flush();
            while (!way.isEmpty() && way.get(way.size() - 1)[0] + 1 >= way.get(way.size() - 1)[1]) {
                way.remove(way.size() - 1);
            }
            if (way.isEmpty()) {
                out.println("complete");
                return;
            }
            way.get(way.size() - 1)[0]++;
        }
    }

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        System.setErr(System.out);
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
            Actor actor = run.of(thread);
            if (actor != null) {
                actor.error = error;
            }
        });
        Path folder = Path.of(args[0]);
        spurious = !args[2].equals("no-spurious");
        isLed = args[3].equals("led");
        int runs = args.length > 4 ? Integer.parseInt(args[4]) : 0;
        int most = args.length > 5 ? Integer.parseInt(args[5]) : 0;
        switch (args[3]) {
            case "led" -> {
                begin(folder, args[1]);
                led(out);
            }
            case "random" -> random(folder, args[1].split(","), runs, Long.parseLong(args[6]), most, out);
            default -> all(folder, args[1], runs, most, out);
        }
        out.flush();
        // Threads that are stuck do not end by themselves.
        Runtime.getRuntime().halt(0);
    }
}
