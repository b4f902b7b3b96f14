//! Statements that make no sense.

use crate::show::errors;
use insta::assert_snapshot;

#[test]
fn lock_operations() {
    let text = r"
shared x: tid;
shared b: bool;
shared m: mutex;
shared l: rwlock;
thread P { acquire(x); release(b); acquire_read(m); acquire(l); }
";
    assert_snapshot!(errors(text), @r"
    error: `x` is not a lock
     --> t.tw:5:20
      |
    5 | thread P { acquire(x); release(b); acquire_read(m); acquire(l); }
      |                    ^ expected a shared variable of type `lock` or `mutex`
      |
      = help: declare it with `shared x: mutex;`

    error: `b` is not a lock
     --> t.tw:5:32
      |
    5 | thread P { acquire(x); release(b); acquire_read(m); acquire(l); }
      |                                ^ expected a shared variable of type `lock` or `mutex`
      |
      = help: declare it with `shared b: mutex;`

    error: `acquire_read` does not work on a `mutex`
     --> t.tw:5:49
      |
    5 | thread P { acquire(x); release(b); acquire_read(m); acquire(l); }
      |                                                 ^ `m` is a `mutex`
      |
      = help: write `acquire(m)`

    error: `acquire` does not work on an `rwlock`
     --> t.tw:5:61
      |
    5 | thread P { acquire(x); release(b); acquire_read(m); acquire(l); }
      |                                                             ^ `l` is an `rwlock`
      |
      = help: write `acquire_read(l)` or `acquire_write(l)`
    ");
}

#[test]
fn rwlock_as_a_value() {
    let text = r"
shared l: rwlock;
shared k: [0..1]rwlock;
thread P { assert l == none; l = none; assert l.x == none; assert k.w == none; }
";
    assert_snapshot!(errors(text), @r"
    error: the rwlock `l` is not a value
     --> t.tw:3:19
      |
    3 | thread P { assert l == none; l = none; assert l.x == none; assert k.w == none; }
      |                   ^ expected one of its parts
      |
      = help: its writer is `l.w`, its set of readers `l.r`

    error: the rwlock `l` cannot be assigned as a whole
     --> t.tw:3:30
      |
    3 | thread P { assert l == none; l = none; assert l.x == none; assert k.w == none; }
      |                              ^ expected one of its parts
      |
      = help: assign `l.w` and `l.r`

    error: `l` has no part `x`
     --> t.tw:3:49
      |
    3 | thread P { assert l == none; l = none; assert l.x == none; assert k.w == none; }
      |                                                 ^ expected `.w` or `.r` of an rwlock, or in a property a local of a thread

    error: `k` is an array of rwlocks
     --> t.tw:3:67
      |
    3 | thread P { assert l == none; l = none; assert l.x == none; assert k.w == none; }
      |                                                                   ^ expected one of its elements
      |
      = help: write `k[…].w`
    ");
}

#[test]
fn assignment_to_a_constant() {
    let text = r"
const N = 1;
type T = enum { a, b };
thread P { N = 2; a = b; P = self; for k in 1..2 { k = 1; } }
";
    assert_snapshot!(errors(text), @r"
    error: `N` cannot be assigned: it is a constant
     --> t.tw:3:12
      |
    3 | thread P { N = 2; a = b; P = self; for k in 1..2 { k = 1; } }
      |            ^ expected a variable

    error: `a` cannot be assigned: it is a constant of an enumeration
     --> t.tw:3:19
      |
    3 | thread P { N = 2; a = b; P = self; for k in 1..2 { k = 1; } }
      |                   ^ expected a variable

    error: `P` cannot be assigned: it is a thread
     --> t.tw:3:26
      |
    3 | thread P { N = 2; a = b; P = self; for k in 1..2 { k = 1; } }
      |                          ^ expected a variable

    error: `k` cannot be assigned: it is the constant of a `for` loop
     --> t.tw:3:52
      |
    3 | thread P { N = 2; a = b; P = self; for k in 1..2 { k = 1; } }
      |                                                    ^ expected a variable
    ");
}

#[test]
fn assigned_twice() {
    let text = r"
shared x, y: int;
shared a: [0..1]int;
thread P { x, y, x = 1, 2, 3; a[0], a[1] = 1, 2; a, a[1] = a, 1; x, y = 1; }
";
    assert_snapshot!(errors(text), @r"
    error: `x` is assigned twice in one step
     --> t.tw:3:18
      |
    3 | thread P { x, y, x = 1, 2, 3; a[0], a[1] = 1, 2; a, a[1] = a, 1; x, y = 1; }
      |            -     ^ assigned again
      |            |
      |            assigned here first

    error: `a[1]` is assigned twice in one step
     --> t.tw:3:53
      |
    3 | thread P { x, y, x = 1, 2, 3; a[0], a[1] = 1, 2; a, a[1] = a, 1; x, y = 1; }
      |                                                  -  ^^^^ assigned again
      |                                                  |
      |                                                  assigned here first

    error: 1 value for 2 targets
     --> t.tw:3:66
      |
    3 | thread P { x, y, x = 1, 2, 3; a[0], a[1] = 1, 2; a, a[1] = a, 1; x, y = 1; }
      |                                                                  ^^^^^^^^^ each target of an assignment gets one value
    ");
}

#[test]
fn jumps_without_a_target() {
    let text = r"
thread P { start: skip; goto stat; break; { continue; } }
";
    assert_snapshot!(errors(text), @r"
    error: `P` has no label `stat`
     --> t.tw:1:30
      |
    1 | thread P { start: skip; goto stat; break; { continue; } }
      |                              ^^^^ unknown label
      |
      = help: did you mean `start`?

    error: `break` outside of a loop
     --> t.tw:1:36
      |
    1 | thread P { start: skip; goto stat; break; { continue; } }
      |                                    ^^^^^^ no `while`, `loop` or `for` is around it

    error: `continue` outside of a loop
     --> t.tw:1:45
      |
    1 | thread P { start: skip; goto stat; break; { continue; } }
      |                                             ^^^^^^^^^ no `while`, `loop` or `for` is around it
    ");
}

#[test]
fn goto_to_several_points() {
    let text = r"
thread P { for k in 1..2 { again: skip; } goto again; }
";
    assert_snapshot!(errors(text), @r"
    error: the label `again` names 2 points of `P`
     --> t.tw:1:48
      |
    1 | thread P { for k in 1..2 { again: skip; } goto again; }
      |                            -----               ^^^^^ a jump needs just one target
      |                            |
      |                            it stands here
    ");
}

#[test]
fn calls_with_the_wrong_arguments() {
    let text = r"
proc p(a: int, b: bool) { skip; }
thread P { var x: int; p(1); p(true, 1); x = p(1, true); q(1); P(); }
";
    assert_snapshot!(errors(text), @r"
    error: `p` takes 2 arguments, but 1 is given
     --> t.tw:2:24
      |
    1 | proc p(a: int, b: bool) { skip; }
      |      - declared here
    2 | thread P { var x: int; p(1); p(true, 1); x = p(1, true); q(1); P(); }
      |                        ^ expected 2 arguments

    error: expected a value of type `int`, found `bool`
     --> t.tw:2:32
      |
    2 | thread P { var x: int; p(1); p(true, 1); x = p(1, true); q(1); P(); }
      |                                ^^^^ this is of type `bool`
      |
      = help: for a number write `true ? 1 : 0`

    error: expected a value of type `bool`, found `int`
     --> t.tw:2:38
      |
    2 | thread P { var x: int; p(1); p(true, 1); x = p(1, true); q(1); P(); }
      |                                      ^ this is of type `int`
      |
      = help: write `true`

    error: the procedure `p` has no result
     --> t.tw:2:46
      |
    1 | proc p(a: int, b: bool) { skip; }
      |      - declared here
    2 | thread P { var x: int; p(1); p(true, 1); x = p(1, true); q(1); P(); }
      |                                              ^ there is nothing to assign
      |
      = help: declare one, as in `proc p(…) returns (r: int)`

    error: unknown procedure `q`
     --> t.tw:2:58
      |
    2 | thread P { var x: int; p(1); p(true, 1); x = p(1, true); q(1); P(); }
      |                                                          ^ no such procedure is in scope

    error: `P` cannot be called: it is a thread
     --> t.tw:2:64
      |
    2 | thread P { var x: int; p(1); p(true, 1); x = p(1, true); q(1); P(); }
      |                                                                ^ not a procedure
    ");
}

#[test]
fn results_that_do_not_fit() {
    let text = r"
proc p() returns (r: bool) { return 1; }
proc q() { return 1; }
thread P { var x: int; x = p(); return 3; }
";
    assert_snapshot!(errors(text), @r"
    error: expected a value of type `bool`, found `int`
     --> t.tw:1:37
      |
    1 | proc p() returns (r: bool) { return 1; }
      |                                     ^ this is of type `int`
      |
      = help: write `true`

    error: the procedure `q` has no result
     --> t.tw:2:19
      |
    2 | proc q() { return 1; }
      |                   ^ nothing can be returned
      |
      = help: declare one, as in `proc q(…) returns (r: int)`

    error: `p` returns `bool`, not `int`
     --> t.tw:3:24
      |
    3 | thread P { var x: int; x = p(); return 3; }
      |                        ^ this is of type `int`

    error: a thread returns no value
     --> t.tw:3:40
      |
    3 | thread P { var x: int; x = p(); return 3; }
      |                                        ^ nobody receives it
      |
      = help: write `return;`
    ");
}
