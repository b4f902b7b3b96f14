//! Numbers of states worked out by hand.

mod support;
use support::safe;

#[test]
fn tiny_example() {
    // In the order (g, first thread, second thread): 0AC, 0BC, 1AD, 0BD, 1BD.
    safe("shared g: 0..1; thread T1 { g = 0; } thread T2 { g = 1; }", 5);
}

#[test]
fn binary_counter() {
    let text = "
        shared t: 0..3 = 1;
        thread T1 { zero: await t == 1; one: atomic { t = 2; goto zero; } }
        thread T2 { zero: atomic { await t == 2; t = 1; } one: atomic { await t == 2; t = 3; goto zero; } }
        thread T3 { zero: atomic { await t == 3; t = 1; } one: atomic { await t == 3; t = 0; goto zero; } }
        invariant t == 0 ==> T1@zero && T2@zero && T3@zero;
        invariant T1@one ==> t == 1;";
    safe(text, 15);
}

/// Nobody rests inside of an atomic block, not even at its end.
#[test]
fn labels_inside_atomic_blocks() {
    safe("thread Q { atomic { L: } } never Q@L;", 2);
    safe("thread Q { atomic { { L: } atomic { M: } } var x: 0..1 = 1; skip; } never Q@L || Q@M;", 3);
    // A jump is no step, so a label before it names where it leads.
    safe("thread Q { loop { atomic { skip; L: continue; } } } invariant Q@L;", 1);
    safe("thread Q { atomic { L: skip; M: } N: } never Q@L || Q@M; invariant exists i: 0..1 :: Q@N || i == 1;", 2);
}

/// A label or a loop invariant before a declaration makes it a step, also where only the start of a block is between.
#[test]
fn declarations_that_are_steps() {
    // Before the declaration, after it with two values, and at the end, where the variable is gone.
    safe("thread T { L: { var x: 0..1 = *; skip; } }", 4);
    safe("thread T { { var x: 0..1 = *; skip; } }", 3);
    safe("thread T { L: loop { var x: 0..1 = *; skip; } }", 3);
    safe("thread T { loop invariant true { var x: 0..1 = *; skip; } }", 3);
    safe("thread T { loop { var x: 0..1 = *; skip; } }", 2);
}

/// A loop of nothing but declarations goes round in steps, or nobody would ever see the thread.
#[test]
fn loops_of_declarations() {
    safe("thread T { loop { var x: 0..1 = *; } }", 1);
    // Before the first declaration, where no variable is known.
    safe("thread T { loop { var x: 0..1 = *; var y: 0..1 = x; } } thread U { skip; }", 2);
}

#[test]
fn independent_steps() {
    for (k, skips) in [(1, "skip;"), (2, "skip; skip;"), (4, "skip; { skip; { skip; } } skip;")] {
        safe(&format!("thread A {{ {skips} }} thread B {{ {skips} }}"), (k + 1) * (k + 1));
        safe(&format!("thread W[3] {{ {skips} }}"), (k + 1) * (k + 1) * (k + 1));
    }
    safe("thread W[2] { for i in 1..3 { skip; skip; } }", 49);
}

#[test]
fn lock_class() {
    for n in 1..=3usize {
        for m in 1..=3usize {
            let text =
                format!("shared l: lock; thread W[{n}] {{ for j in 1..{m} {{ acquire(l); critical: release(l); }} }}");
            let parked = (m + 1).pow(n as u32) + n * m * (m + 1).pow(n as u32 - 1);
            safe(&text, parked);
            let looping = text.replacen("for", "loop { for", 1) + "}";
            safe(&looping, m.pow(n as u32) + n * m * m.pow(n as u32 - 1));
        }
    }
}

#[test]
fn simple_with_a_mutex() {
    let text = "shared x: int = 1; shared m: mutex;
        thread W[4] { acquire(m); x = 0; x = x + 1; assert x > 0; release(m); }
        norace x; invariant m == none ==> x == 1;";
    safe(text, 144);
}

#[test]
fn peterson() {
    // The flags follow from the points, which leaves 16 pairs of points with 2 turns. Not reachable
    // are: both at D (2); a thread at C or D while the other is at A or B and the turn is not what
    // the first has set it to (8); a thread at D while the other is at C with the turn its own (2).
    let text = "shared x, y: bool; shared turn: 0..1;
        thread P1 { loop { A: x = true; B: turn = 1; C: await !(y && turn == 1); D: x = false; } }
        thread P2 { loop { A: y = true; B: turn = 0; C: await !(x && turn == 0); D: y = false; } }
        never P1@D && P2@D;
        invariant (P1@A <==> !x) && (P2@A <==> !y);
        invariant P1@D && P2@C ==> turn == 0;
        invariant P2@D && P1@C ==> turn == 1;";
    safe(text, 20);
}

#[test]
fn tests_are_steps_and_jumps_are_not() {
    safe("thread T { if (true) { skip; } else { skip; } }", 3);
    safe("thread T { if (*) { skip; } else { skip; } }", 4);
    safe("thread T { if (*) { } }", 2);
    safe("thread T { while (false) { skip; } skip; }", 3);
    safe("thread T { while (*) { skip; } }", 3);
    safe("thread T { while (true) { } }", 1);
    safe("thread T { loop { skip; } }", 1);
    safe("thread T { loop { skip; break; } skip; }", 3);
    safe("thread T { loop { if (*) { continue; } skip; break; } }", 3);
    safe("thread T { skip; goto L; skip; L: skip; }", 3);
    safe("thread T { choose { skip; } or { } or { skip; skip; } }", 5);
    safe("thread T { A: { { skip; } } B: } invariant T@A || T@B;", 2);
}

#[test]
fn control_that_never_rests_is_one_point() {
    safe("thread T { skip; loop { } }", 2);
    safe("thread T { if (*) { goto A; } else { goto B; } A: { } B: { } goto A; }", 2);
}

#[test]
fn silent_declarations_are_no_steps() {
    safe("thread T { var x: bool; }", 1);
    safe("thread T { var x: bool = *; }", 2);
    safe("thread T { skip; var x: 0..2 = *; skip; }", 1 + 3 + 3);
    safe("thread T { L: var x: 0..2 = *; skip; }", 1 + 3 + 3);
    safe("shared g: 0..2; thread T { var x: 0..2 = g; skip; }", 3);
    safe("thread T { var x: 0..2 = *; var y: 0..2 = x; skip; }", 6);
}

#[test]
fn locals_of_nested_blocks_are_forgotten() {
    safe("thread T { skip; { var x: 0..2 = *; skip; } skip; }", 1 + 3 + 1 + 1);
    safe("thread T { skip; var x: 0..2; { x = *; } skip; }", 1 + 1 + 3 + 3);
    safe("thread T { for k in 1..2 { var x: 0..2 = *; skip; } }", 3 + 3 + 1);
    safe("thread T { loop { var x: 0..2 = *; skip; } }", 3);
    safe("thread T { loop { skip; var x: 0..2 = *; skip; } }", 1 + 3);
}

#[test]
fn initial_values() {
    safe("shared x: 0..3 = *; shared y: bool = *; init x > 0;", 6);
    safe("shared x: 0..3 = *; shared y: 0..9 = 3 * x; invariant y == 3 * x;", 4);
    safe("shared s: set<0..2> = *; shared t: tid = *; thread W[2] { }", 8 * 3);
    safe("shared a: [0..2]bool = *; init a[0] != a[1];", 4);
    safe("const N = 2; shared x: 0..N; thread W[N] { }", 1);
}

#[test]
fn actions() {
    safe("shared x: 0..3; thread T { action [x] x' > x; }", 4);
    safe("shared x: 0..3; thread T { action [x] x' > 3; }", 1);
    safe("shared x: 0..3; shared y: int; thread T { action [x, y] x' > x && y' == 2 * x'; }", 4);
    safe("shared l: rwlock; thread T { action [l.w] l.w' == self; } invariant l.r == {};", 2);
    safe("shared a: [0..1]bool; thread T { action [a] a'[0] != a[0]; }", 3);
}

#[test]
fn calls_and_returns_are_steps() {
    // Before the call, inside, at the end of the procedure, after the return.
    safe("proc p() { skip; } thread T { p(); }", 4);
    // Before the call, at the return, after it.
    safe("shared x: int; proc p() returns (r: int) { return 7; } thread T { x = p(); }", 3);
    safe("proc p() { } thread T { p(); p(); }", 5);
    // Two calls of one procedure are different points inside it.
    safe("proc p() { skip; } thread T { if (*) { p(); } else { p(); } }", 1 + 2 * 3 + 1);
    safe(
        "shared x: int; proc p(a: 0..9) returns (r: 0..9) { var b: 0..9 = a; r = b + 1; }
          thread T { x = p(3); assert x == 4; }",
        5,
    );
}

#[test]
fn recursion() {
    let text = "shared x: 0..9;
        proc sum(n: 0..3) returns (r: 0..6) {
          if (n == 0) { return 0; } var rest: 0..6; rest = sum(n - 1); return rest + n;
        }
        thread T { x = sum(3); assert x == 6; }";
    // The call; for n = 3, 2, 1 the test and the inner call; for n = 0 the test and the return;
    // three returns; the assertion; the end.
    safe(text, 1 + 3 * 2 + 2 + 3 + 1 + 1);
}

#[test]
fn atomic_blocks_are_single_steps() {
    safe("shared x: 0..9; thread W[2] { atomic { x = x + 1; x = x + 1; } } invariant x % 2 == 0;", 4);
    safe("shared x: 0..9; thread T { atomic { choose { x = 1; } or { x = 2; await false; } or { x = 3; } } }", 3);
    safe("shared x: 0..9; thread T { atomic { while (*) { if (x < 3) { x = x + 1; } } } }", 5);
    safe("shared x: 0..9; thread T { atomic { await x == 1; x = 2; } }", 1);
    safe("shared x: 0..9; thread T { atomic { x = 1; goto L; } x = 5; L: skip; }", 3);
    safe("shared x: 0..9; thread T { loop { atomic { if (x == 3) { break; } x = x + 1; } } skip; }", 4 + 1 + 1);
    safe("shared x: 0..9; proc p() { atomic { x = 1; return; } } thread T { p(); }", 3);
    safe("shared x: 0..9; proc p() { x = x + 1; } thread T { atomic { p(); p(); } }", 2);
    safe("shared x: 0..9; thread T { atomic { x = 1; } var y: bool = *; skip; }", 1 + 2 + 2);
    safe("thread T { atomic { loop { } } }", 1);
    safe("shared x: 0..9; thread T { atomic { var y: 0..2 = *; x = y; } }", 1 + 3);
}
