//! What the oracle finds wrong, and where.

mod support;
use support::{explored, module, safe, unknown, wrong};
use threadwise_oracle::ErrorKind::*;
use threadwise_oracle::{OracleVerdict, explore_copies};

#[test]
fn assertions() {
    wrong("thread T { skip; assert false; }", Assertion, 1);
    wrong("shared x: 0..2; thread A { x = 1; } thread B { skip; assert x == 0; }", Assertion, 2);
    // The failing step leads nowhere, the other thread goes on.
    assert_eq!(explored("thread A { assert false; skip; } thread B { skip; }").states, 2);
}

#[test]
fn faults_of_expressions() {
    wrong("shared x: 0..2; thread T { loop { x = x + 1; } }", Range, 2);
    wrong("thread T { var x: 0..2; x = -1; }", Range, 0);
    wrong("thread T { skip; var x: 0..2 = 3; skip; }", Range, 0);
    wrong("shared s: set<0..2>; thread T { s = {3}; }", Range, 0);
    wrong("proc p(a: 0..2) { } thread T { p(3); }", Range, 0);
    wrong("shared x: int; proc p() returns (r: 0..2) { return 3; } thread T { x = p(); }", Range, 1);
    wrong("shared a: [0..2]bool; thread T { a[3] = true; }", Index, 0);
    wrong("shared a: [0..2]bool; shared i: 0..5 = 4; thread T { await a[i]; }", Index, 0);
    wrong("shared x: int; thread T { if (1 / x == 0) { } }", Division, 0);
    wrong("shared x: int; thread T { x = 1 % x; }", Division, 0);
    wrong("shared x: int; invariant 1 / x == 0;", Division, 0);
}

/// What a literal is assigned to or compared with says which elements it may have, whatever becomes of the set.
#[test]
fn elements_of_set_literals() {
    wrong("shared b: [0..1]set<1..1>; thread P { assert !({0} subset b[1]); }", Range, 0);
    wrong("shared s: set<0..2>; shared x: 0..5 = 5; init s subset {x, 1};", Range, 0);
    wrong("shared s: set<0..2>; shared x: 0..5 = 5; invariant s != {x};", Range, 0);
    wrong("shared s: set<0..2>; shared x: 0..5 = 5; thread T { s = {x} inter s; }", Range, 0);
    wrong("shared s: set<0..2>; shared x: 0..5 = 5; thread T { s = x == 4 ? s : {x} minus {x}; }", Range, 0);
    wrong("shared s: set<0..2>; shared x: 0..5 = 5; invariant size(s union ({x} inter {})) == 0;", Range, 0);
    wrong("shared s: set<0..2>; thread W[1] { var x: 0..5 = 5; } never exists i: W :: {i.x} == s;", Range, 0);
    // A literal that stands alone spans its own elements; what is not in a set need not be of its type.
    safe("shared x: 0..5 = 5; thread T { assert x in {1, 5} && size({x, 9}) == 2 && !({7} subset {1}); }", 2);
    safe("shared s: set<0..2>; shared x: 0..5 = 5; thread T { assert !(x in s) && !(x in s union {1}); }", 2);
}

#[test]
fn evaluation_is_lazy() {
    safe("shared x: int; thread T { await x == 0 || 1 / x == 0; assert !(x != 0 && 1 / x == 0); }", 3);
    safe("shared x: int; thread T { x = x == 0 ? 1 : 1 / x; assert x == 0 ==> 1 / x == 0; }", 3);
    safe("shared x: int; thread T { assert exists i: 0..3 :: i == 1 || i > 1 && 1 / x == 0; }", 2);
}

#[test]
fn arithmetic() {
    let text = "shared x: int = -7; thread T {
        assert x / 2 == -4 && x % 2 == 1 && x / -2 == 3 && x % -2 == -1 && 7 / -2 == -4 && 7 % -2 == -1; }";
    safe(text, 2);
    safe("thread T { assert 6 / -3 == -2 && 6 % -3 == 0 && -6 / 3 == -2; }", 2);
}

#[test]
fn locks() {
    wrong("shared m: mutex; thread T { release(m); }", Release, 0);
    wrong("shared m: mutex; thread A { acquire(m); } thread B { await m == A; release(m); }", Release, 2);
    safe("shared l: lock; thread T { release(l); }", 2);
    wrong("shared l: rwlock; thread T { release_read(l); }", Release, 0);
    wrong("shared l: rwlock; thread T { acquire_read(l); release_write(l); }", Release, 1);
    // Readers do not see each other; of two writers only one is at the middle one of its 3 points.
    safe("shared l: rwlock; thread R[2] { acquire_read(l); release_read(l); }", 9);
    safe("shared l: rwlock; thread W[2] { acquire_write(l); release_write(l); }", 8);
    safe("shared l: [0..1]mutex; thread W[2] { acquire(l[1]); release(l[1]); } invariant l[0] == none;", 8);
}

#[test]
fn errors_inside_atomic_blocks() {
    wrong("thread T { atomic { assert false; await false; } }", Assertion, 0);
    wrong("thread T { atomic { choose { assert false; await false; } or { skip; } } }", Assertion, 0);
    safe("thread T { atomic { await false; assert false; } }", 1);
    wrong("shared x: 0..1; thread T { skip; atomic { x = x + 1; x = x + 1; } }", Range, 1);
}

#[test]
fn actions() {
    wrong("shared x: 0..2 = 2; thread T { action [x] x' < x assert x' != 0; }", ActionAssertion, 0);
    assert_eq!(explored("shared x: 0..2 = 2; thread T { action [x] x' < x assert x' != 0; }").states, 2);
    unknown("shared x: int; thread T { action [x] x' > x; }");
    // Sixteen million outcomes are counted, and not listed, to find that they are too many.
    let started = std::time::Instant::now();
    unknown("shared x: i16; shared y: u8; thread T { action [y, x] x' == x && y' == y; }");
    assert!(started.elapsed() < std::time::Duration::from_secs(5));
}

/// Values multiply: with those of other variables, other declarations and other threads. What would not fit into memory is
/// found out before it is there.
#[test]
fn too_many_states_at_once() {
    let started = std::time::Instant::now();
    for text in [
        "shared a, b, c, d, e: i8 = *; thread T { skip; }",
        "shared x: i8; thread T { var a, b, c, d, e: i8 = *; skip; }",
        "thread T { var a: i8 = *; var b: i8 = *; var c: i8 = *; var d: i8 = *; skip; }",
        "thread W[5] { var a: i8 = *; skip; }",
        "shared a, b, c, d, e: i8; thread T { skip; a, b, c, d, e = *, *, *, *, *; }",
    ] {
        unknown(text);
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(60));
    safe("shared a, b: 0..199 = *; init a == b; thread T { skip; assert a == b; }", 600);
}

#[test]
fn properties() {
    wrong("shared x: bool; thread T { x = true; } invariant !x;", Invariant, 1);
    wrong("shared x: bool = *; invariant !x;", Invariant, 0);
    wrong("thread W[2] { a: skip; b: } never exists i: W, j: W :: i != j && i@b && j@b;", Never, 2);
    wrong("thread W[2] { var x: 0..3; x = 2; } invariant count(i: W :: i.x == 2) < 2;", Invariant, 2);
    safe("thread A { } thread W[2] { } invariant ord(A) == 1 && forall i: W :: ord(i) >= 2 && i != A;", 1);
    safe("thread W[2] { } invariant count(t: tid :: true) == 3 && count(t: W, u: W :: t != u) == 2;", 1);
}

#[test]
fn races() {
    wrong("shared x: int; thread A { skip; x = 1; } thread B { await x == 0; } norace x;", Race, 1);
    safe("shared x: int; thread A { await x == 0; } thread B { await x == 0; } norace x;", 4);
    // The reader's step is not enabled where the writer's is.
    safe("shared x: int; thread A { x = 1; } thread B { await x == 1; } norace x;", 3);
    wrong("shared x: int; thread A { x = 1; } thread B { await true || x == 1; } norace x;", Race, 0);
    wrong("shared x, y: int; thread A { atomic { y = 1; x = 1; } } thread B { y = x; } norace x;", Race, 0);
    // Only the path that blocks accesses the variable.
    let blocked = "shared x: int; thread A { x = 1; }
        thread B { atomic { choose { await x == 0; await false; } or { skip; } } } norace x;";
    safe(blocked, 4);
    // The result is written by the return.
    let result = "shared x: int; proc p() returns (r: int) { skip; return 1; }
        thread A { x = p(); } thread B { await x == 0; } norace x;";
    wrong(result, Race, 2);
    wrong("shared a: [tid]bool; thread W[2] { a[self] = true; } norace a;", Race, 0);
    wrong("shared m: mutex; thread W[2] { acquire(m); } norace m;", Race, 0);
}

#[test]
fn races_on_elements() {
    safe("shared a: [tid]bool; thread W[2] { a[self] = true; } norace a[*];", 4);
    wrong("shared a: [0..1]bool; thread A { skip; a[1] = true; } thread B { await !a[1]; } norace a[*];", Race, 1);
    safe("shared a: [0..1]bool; thread A { a[1] = true; } thread B { await !a[0]; } norace a[*];", 4);
    wrong("shared a: [0..1]bool; thread A { a[1] = true; } thread B { await !a[0]; } norace a;", Race, 0);
    // What is not looked at is not accessed, but a quantifier looks at everything.
    safe("shared a: [0..1]bool; thread A { a[1] = true; } thread B { await true || a[1]; } norace a[*];", 4);
    wrong(
        "shared a: [0..1]bool; thread A { a[1] = true; } thread B { await exists k: 0..1 :: k == 0 || a[k]; } norace a[*];",
        Race,
        0,
    );
    // An array as a whole is all its elements, and so is one that an action mentions.
    wrong("shared a, b: [0..1]bool; thread A { a[1] = true; } thread B { b = a; } norace a[*];", Race, 0);
    wrong("shared a: [0..1]bool; thread A { a[1] = true; } thread B { action [] !a[0]; } norace a[*];", Race, 0);
    // Rows, and elements of rows.
    let rows = "shared a: [0..1][bool]bool; thread A { a[0][true] = true; } thread B { a[0][false] = true; }";
    wrong(&format!("{rows} norace a[*];"), Race, 0);
    safe(&format!("{rows} norace a[*][*];"), 4);
    // An index that changes within the step.
    let moved = "shared i: 0..1; shared a: [0..1]bool; thread A { atomic { i = 1; a[i] = true; } }";
    safe(&format!("{moved} thread B {{ a[0] = true; }} norace a[*];"), 4);
    wrong(&format!("{moved} thread B {{ a[1] = true; }} norace a[*];"), Race, 0);
}

/// Before its declaration, and in its own initial value, the name of a local means what it means outside of the block.
#[test]
fn names_before_their_declaration() {
    wrong("shared a: 0..1; thread P[1] { a = *; var a: 0..0; } invariant a == 0;", Invariant, 1);
    wrong("shared a: 0..1; thread P { a = 1; var a: 0..0; a = 0; } thread Q { a = 0; } norace a;", Race, 0);
    wrong(
        "shared a: [0..1]bool; thread P { a[1] = true; var a: bool; } thread Q { a[1] = true; } norace a[*];",
        Race,
        0,
    );
    safe("shared a: 0..3 = 2; thread P { var a: 0..3 = a + 1; assert a == 3; }", 3);
    safe("shared a: 0..1; thread P { var a: 0..1; { a = 1; var a: 0..1; a = 0; } assert a == 1; }", 4);
    // A declaration that a jump passes over is one that stands before.
    safe("shared a: 0..1; thread P { goto L; var a: 0..2; L: a = 2; } invariant a == 0 && P.a != 1;", 2);
}

#[test]
fn what_the_oracle_does_not_know() {
    unknown("shared x: int; thread T { x = *; }");
    unknown("shared x: int = *;");
    unknown("shared x: int = 2; thread T { loop { x = x * x; } }");
    unknown("thread W[*] { skip; }");
    unknown("shared x: int; thread T { loop { x = x + 1; } }");
}

#[test]
fn deadlocks() {
    let crossed = "shared a, b: mutex;
        thread P { acquire(a); acquire(b); release(b); release(a); }
        thread Q { acquire(b); acquire(a); release(a); release(b); } ";
    // Both are stuck after two steps, and they are so around a cycle.
    let found = explored(&format!("{crossed} nodeadlock;"));
    let both = OracleVerdict::Unsafe { kinds: [Deadlock, LockCycle].into() };
    assert_eq!((found.verdict, found.depth_of_error), (both, Some(2)));
    assert_eq!(explored(crossed).verdict, OracleVerdict::Safe);
    // While somebody runs on it is a cycle and no deadlock.
    wrong(&format!("{crossed} thread R {{ loop {{ skip; }} }} nodeadlock;"), LockCycle, 2);
    // Whoever has ended, or waits where that is meant, is not stuck; all threads have to be still.
    safe("thread P { skip; } nodeadlock;", 2);
    safe("shared x: bool; thread P { loop { end_idle: await x; } } nodeadlock;", 1);
    safe("shared x: bool; thread P { await x; } thread Q { loop { skip; } } nodeadlock;", 1);
    wrong("shared x: bool; thread P { await x; } thread Q { end: await x; } nodeadlock;", Deadlock, 0);
    wrong(
        "shared x: bool; thread P { ending: await x; } thread Q { skip; end1: await x; } thread R { await x; } nodeadlock;",
        Deadlock,
        1,
    );
    // A step that goes wrong is one.
    wrong("thread P { assert false; } nodeadlock;", Assertion, 0);
    // An atomic block is enabled where it can run to its end.
    wrong("shared x: bool; thread P { atomic { x = true; await !x; } } nodeadlock;", Deadlock, 0);
    wrong("thread P { skip; loop { } } nodeadlock;", Deadlock, 1);
}

#[test]
fn locks_that_are_waited_for() {
    // Its own, and that of a thread that has ended.
    let alone = "thread R { loop { skip; } } nodeadlock;";
    wrong(&format!("shared a: mutex; thread P {{ acquire(a); acquire(a); }} {alone}"), LockCycle, 1);
    wrong(&format!("shared a: mutex; thread P {{ acquire(a); }} thread Q {{ acquire(a); }} {alone}"), LockCycle, 1);
    // Somebody else may give it back, or the index may change.
    let freed = "shared a: mutex; thread P { acquire(a); acquire(a); } thread R { loop { a = none; } } nodeadlock;";
    assert_eq!(explored(freed).verdict, OracleVerdict::Safe);
    let dead_code =
        "shared a: mutex; thread P { acquire(a); acquire(a); } thread R { loop { skip; } a = none; } nodeadlock;";
    wrong(dead_code, LockCycle, 1);
    let hidden = "shared a: mutex; thread P { acquire(a); acquire(a); }
        thread R { var a: bool; loop { a = !a; } } nodeadlock;";
    wrong(hidden, LockCycle, 1);
    let moving = "shared a: [0..1]mutex; shared i: 0..1; thread P { acquire(a[i]); acquire(a[i]); }
        thread R { loop { i = 1 - i; } } nodeadlock;";
    assert_eq!(explored(moving).verdict, OracleVerdict::Safe);
    let local = "shared a: [0..1]mutex; thread P { var i: 0..1 = 1; acquire(a[i]); atomic { acquire(a[1]); i = 0; } }
        thread R { loop { skip; } } nodeadlock;";
    wrong(local, LockCycle, 1);
}

/// Threads that nobody has started wait for nothing; who waits for them does.
#[test]
fn started_threads_that_wait() {
    safe("thread P { skip; } thread W[2]() { skip; } nodeadlock;", 2);
    wrong("thread P { skip; join W; } thread W() { skip; } nodeadlock;", Deadlock, 1);
    // Of any number there is always one more that takes notice of the start.
    let any = |text: &str, copies| explore_copies(&module(text), copies, 1_000).verdict;
    let answered =
        "shared x: bool; thread P { start W(); start W(); await x; } thread W[*]() { x = true; } nodeadlock;";
    let silent = "shared x: bool; thread P { start W(); start W(); await x; } thread W[*]() { skip; } nodeadlock;";
    let hangs = OracleVerdict::Unsafe { kinds: [Deadlock].into() };
    for copies in 0..4 {
        assert_eq!(any(answered, copies), OracleVerdict::Safe, "{copies}");
        assert_eq!(any(silent, copies), if copies < 2 { OracleVerdict::Safe } else { hangs.clone() }, "{copies}");
    }
    let joined = "thread P { start W(); join W; } thread W() { skip; } nodeadlock;";
    assert_eq!(explored(joined).verdict, OracleVerdict::Safe);
}
