//! Programs that many tests want.

/// All values of all kinds, procedures with recursion, and an assertion that fails.
pub const KITCHEN_SINK: &str = "
    type Phase = enum { idle, busy };
    shared x: 0..3 = 1;
    shared big: int = -5;
    shared phase: Phase;
    shared m: mutex;
    shared seen: set<tid>;
    shared table: [Phase]bool;
    shared owner: [0..1]tid;
    shared l: rwlock;
    proc down(n: 0..2) returns (r: 0..2) {
      if (n > 0) { r = down(n - 1); }
      big = big + 1;
      return n;
    }
    thread Main { var y: 0..2; y = down(2); phase = busy; assert big == 0; }
    thread W[2] {
      if (*) { var a: 0..1; a = 1; x = a; } else { var a: bool; a = true; x = 2; }
      acquire(m);
      seen = seen union {self};
      table[phase] = true;
      owner[1] = self;
      release(m);
    }
";

/// A race that breaks an assertion: found after a few steps.
pub const LOST_UPDATE: &str = "
    shared x: 0..5;
    thread W[2] { var t: 0..5; t = x; x = t + 1; }
    thread Check { await x == 1; assert x == 2; }
";

/// Safe, with copies that can be permuted and identities in shared variables.
pub const MUTEX: &str = "
    const N = 3;
    shared x: 0..2 = 1;
    shared m: mutex;
    thread W[N] { acquire(m); x = 0; x = x + 1; assert x > 0; release(m); }
    invariant clean: m == none ==> x == 1;
    norace x;
";

/// Safe, with recursion: the variable counts down under a mutex.
pub const RECURSIVE: &str = "
    shared x: 0..2;
    shared m: mutex;
    proc down(n: 0..2) returns (r: 0..2) {
      if (n > 0) { x = n; r = down(n - 1); assert x == 0; } else { x = 0; }
      return n;
    }
    thread W[2] { var y: 0..2; acquire(m); y = down(2); release(m); }
    invariant m == none ==> x == 0;
    norace x;
";

/// From CART, example 1.12.2: a binary counter of three threads.
pub const COUNTER: &str = "
    shared t: 0..3 = 1;
    thread T1 { zero: await t == 1; one: atomic { t = 2; goto zero; } }
    thread T2 { zero: atomic { await t == 2; t = 1; } one: atomic { await t == 2; t = 3; goto zero; } }
    thread T3 { zero: atomic { await t == 3; t = 1; } one: atomic { await t == 3; t = 0; goto zero; } }
    invariant t == 0 ==> T1@zero && T2@zero && T3@zero;
";
