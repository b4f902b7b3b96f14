//! Names that are unknown, declared twice or of the wrong kind.

use crate::show::errors;
use insta::assert_snapshot;

#[test]
fn unknown_name_suggests_the_nearest() {
    let text = r"
shared counter: int;
thread P { countr = 1; }
";
    assert_snapshot!(errors(text), @r"
    error: unknown name `countr`
     --> t.tw:2:12
      |
    2 | thread P { countr = 1; }
      |            ^^^^^^ no such name is in scope
      |
      = help: did you mean `counter`?
    ");
}

#[test]
fn unknown_name_without_a_similar_one() {
    let text = r"
thread P { assert zebra; }
";
    assert_snapshot!(errors(text), @r"
    error: unknown name `zebra`
     --> t.tw:1:19
      |
    1 | thread P { assert zebra; }
      |                   ^^^^^ no such name is in scope
    ");
}

#[test]
fn duplicate_global_shows_both_places() {
    let text = r"
shared x: int;
const x = 3;
thread P { skip; }
";
    assert_snapshot!(errors(text), @r"
    error: the name `x` is declared twice
     --> t.tw:2:7
      |
    1 | shared x: int;
      |        - first declared here, as a shared variable
    2 | const x = 3;
      |       ^ declared here again
    ");
}

#[test]
fn duplicate_local() {
    let text = r"
thread P { var a: int; var a: bool; skip; }
";
    assert_snapshot!(errors(text), @r"
    error: the name `a` is declared twice
     --> t.tw:1:28
      |
    1 | thread P { var a: int; var a: bool; skip; }
      |                -           ^ declared here again
      |                |
      |                first declared here, as a local variable
    ");
}

#[test]
fn shadowing_in_an_inner_block_is_fine_but_ends_there() {
    let text = r"
thread P { { var a: bool; a = true; } a = false; }
";
    assert_snapshot!(errors(text), @r"
    error: unknown name `a`
     --> t.tw:1:39
      |
    1 | thread P { { var a: bool; a = true; } a = false; }
      |                                       ^ no such name is in scope
    ");
}

#[test]
fn replicated_thread_is_no_identity() {
    let text = r"
shared t: tid;
thread W[2] { t = W; }
";
    assert_snapshot!(errors(text), @r"
    error: `W` is replicated, so it does not name one thread
     --> t.tw:2:19
      |
    2 | thread W[2] { t = W; }
      |        -          ^ which copy is meant?
      |        |
      |        declared with copies here
      |
      = help: bind one of them, as in `forall i: W :: …`
    ");
}

#[test]
fn procedure_is_no_value() {
    let text = r"
proc f() returns (r: int) { return 1; }
thread P { var x: int; x = f + 1; }
";
    assert_snapshot!(errors(text), @r"
    error: `f` is a procedure, not a value
     --> t.tw:2:28
      |
    2 | thread P { var x: int; x = f + 1; }
      |                            ^ a call is a statement
      |
      = help: write `x = f(…);`
    ");
}

#[test]
fn local_in_a_property_needs_its_thread() {
    let text = r"
thread P { var x: int; skip; }
thread W[2] { var y: int; skip; }
invariant x == 0;
invariant y == 0;
";
    assert_snapshot!(errors(text), @r"
    error: `x` is a local of the thread `P`
     --> t.tw:3:11
      |
    3 | invariant x == 0;
      |           ^ its thread is missing
      |
      = help: write `P.x`

    error: `y` is a local of the thread `W`
     --> t.tw:4:11
      |
    4 | invariant y == 0;
      |           ^ which copy's?
      |
      = help: bind a copy, as in `forall i: W :: … i.y …`
    ");
}

#[test]
fn several_errors_in_one_file() {
    let text = r"
shared x: int;
shared b: bool;
thread P { x = tru; b = 1; y = 2; }
";
    assert_snapshot!(errors(text), @r"
    error: unknown name `tru`
     --> t.tw:3:16
      |
    3 | thread P { x = tru; b = 1; y = 2; }
      |                ^^^ no such name is in scope
      |
      = help: did you mean `true`?

    error: expected a value of type `bool`, found `int`
     --> t.tw:3:25
      |
    3 | thread P { x = tru; b = 1; y = 2; }
      |                         ^ this is of type `int`
      |
      = help: write `true`

    error: unknown name `y`
     --> t.tw:3:28
      |
    3 | thread P { x = tru; b = 1; y = 2; }
      |                            ^ no such name is in scope
    ");
}

#[test]
fn no_thread() {
    let text = r"
shared x: int;
";
    assert_snapshot!(errors(text), @r"
    error: no thread is declared
     --> t.tw:1:1
      |
    1 | shared x: int;
      | ^
      |
      = help: a program needs at least one `thread P { … }`
    ");
}
