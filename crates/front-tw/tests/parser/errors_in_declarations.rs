//! Declarations that are not quite right.
//!
//! Each message should make sense to somebody who sees the language for the first time.

use crate::common::complaints;
use insta::assert_snapshot;

#[test]
fn missing_semicolon_after_a_declaration() {
    let source = "\
shared x: int
thread P { x = 1; }
";
    assert_snapshot!(complaints(source), @r"
    error: expected `;`, found the keyword `thread`
     --> test.tw:1:14
      |
    1 | shared x: int
      |              ^ `;` is missing here
    ");
}

#[test]
fn copies_in_parentheses() {
    let source = "thread W(N) { skip; }";
    assert_snapshot!(complaints(source), @r"
    error: the number of copies stands in brackets
     --> test.tw:1:9
      |
    1 | thread W(N) { skip; }
      |         ^ expected `[` or a parameter list
      |
      = help: for several copies write `thread W[N]`, for parameters `thread W(x: int)`
    ");
}

#[test]
fn no_braces_for_a_thread() {
    let source = "\
thread P
  skip;
";
    assert_snapshot!(complaints(source), @r"
    error: expected `{`, found the keyword `skip`
     --> test.tw:1:9
      |
    1 | thread P
      |         ^ `{` should stand here
    ");
}

#[test]
fn misspelt_declaration() {
    let source = "\
tread P { skip; }
Shared x: int;
";
    assert_snapshot!(complaints(source), @r"
    error: expected a declaration, found `tread`
     --> test.tw:1:1
      |
    1 | tread P { skip; }
      | ^^^^^ not a keyword
      |
      = help: did you mean `thread`?

    error: expected a declaration, found `Shared`
     --> test.tw:2:1
      |
    2 | Shared x: int;
      | ^^^^^^ not a keyword
      |
      = help: did you mean `shared`?
    ");
}

#[test]
fn missing_name() {
    let source = "\
thread { skip; }
shared : int;
const = 3;
";
    assert_snapshot!(complaints(source), @r"
    error: expected the name of a thread, found `{`
     --> test.tw:1:8
      |
    1 | thread { skip; }
      |        ^ the name of a thread should stand here

    error: expected the name of a variable, found `:`
     --> test.tw:2:8
      |
    2 | shared : int;
      |        ^ the name of a variable should stand here

    error: expected the name of a constant, found `=`
     --> test.tw:3:7
      |
    3 | const = 3;
      |       ^ the name of a constant should stand here
    ");
}

#[test]
fn statement_outside_of_a_thread() {
    let source = "x = 1;";
    assert_snapshot!(complaints(source), @r"
    error: expected a declaration, found `x`
     --> test.tw:1:1
      |
    1 | x = 1;
      | ^ a statement outside of every thread
      |
      = help: statements stand in `thread … { }`; perhaps a `}` above is one too many
    ");
}

#[test]
fn assertion_outside_of_a_thread() {
    let source = "assert x > 0;";
    assert_snapshot!(complaints(source), @r"
    error: expected a declaration, found the keyword `assert`
     --> test.tw:1:1
      |
    1 | assert x > 0;
      | ^^^^^^ a statement outside of every thread
      |
      = help: for a property of all reachable states write `invariant`
    ");
}

#[test]
fn declaration_inside_a_thread() {
    let source = "\
thread P {
  shared x: int;
  skip;
}
";
    assert_snapshot!(complaints(source), @r"
    error: `shared` cannot stand inside a block
     --> test.tw:2:3
      |
    2 |   shared x: int;
      |   ^^^^^^ this declares something for the whole program
      |
      = help: move it out of the block; a local is declared with `var`
    ");
}

#[test]
fn invariant_inside_a_loop() {
    let source = "\
thread P {
  while (x) {
    invariant y;
    skip;
  }
}
";
    assert_snapshot!(complaints(source), @r"
    error: `invariant` cannot stand inside a block
     --> test.tw:3:5
      |
    3 |     invariant y;
      |     ^^^^^^^^^ this declares something for the whole program
      |
      = help: move it out of the block, or before the body of a loop: `while (e) invariant i { … }`
    ");
}

#[test]
fn type_before_name() {
    let source = "\
int x;
shared int y;
thread P {
  int z = 3;
  var bool b;
}
";
    assert_snapshot!(complaints(source), @r"
    error: expected a declaration, found `int`
     --> test.tw:1:1
      |
    1 | int x;
      | ^^^ the type does not come first
      |
      = help: write `shared x: int;`

    error: expected `:` and a type, found `y`
     --> test.tw:2:12
      |
    2 | shared int y;
      |            ^ `:` and a type should stand here
      |
      = help: the type stands behind: `shared y: int;`

    error: expected a statement, found `int`
     --> test.tw:4:3
      |
    4 |   int z = 3;
      |   ^^^ the type does not come first
      |
      = help: write `var z: int;`

    error: expected `:` and a type, found `b`
     --> test.tw:5:12
      |
    5 |   var bool b;
      |            ^ `:` and a type should stand here
      |
      = help: the type stands behind: `var b: bool;`
    ");
}

#[test]
fn variable_without_type() {
    let source = "shared x = 3;";
    assert_snapshot!(complaints(source), @r"
    error: expected `:` and a type, found `=`
     --> test.tw:1:10
      |
    1 | shared x = 3;
      |          ^ `:` and a type should stand here
      |
      = help: give the type: `shared x: int;`
    ");
}

#[test]
fn array_with_a_size() {
    let source = "shared a: [4]int;";
    assert_snapshot!(complaints(source), @r"
    error: expected `..`, found `]`
     --> test.tw:1:13
      |
    1 | shared a: [4]int;
      |             ^ `..` should stand here
      |
      = help: a range has two bounds, both included: `0..3` has 4 values
    ");
}

#[test]
fn enum_in_place() {
    let source = "shared p: enum { a, b };";
    assert_snapshot!(complaints(source), @r"
    error: an enum needs a declaration of its own
     --> test.tw:1:11
      |
    1 | shared p: enum { a, b };
      |           ^^^^ a type is expected here
      |
      = help: declare it first, `type Phase = enum { idle, busy };`, and use its name here
    ");
}

#[test]
fn set_without_members() {
    let source = "shared s: set;";
    assert_snapshot!(complaints(source), @r"
    error: expected `<`, found `;`
     --> test.tw:1:14
      |
    1 | shared s: set;
      |              ^ `<` should stand here
      |
      = help: say of what, for example `set<tid>`
    ");
}

#[test]
fn parameters_without_types() {
    let source = "\
proc f(int x) { return x; }
proc g(x) { skip; }
";
    assert_snapshot!(complaints(source), @r"
    error: expected `:`, found `x`
     --> test.tw:1:12
      |
    1 | proc f(int x) { return x; }
      |            ^ `:` should stand here
      |
      = help: give each parameter's type behind its name: `x: int`

    error: expected `:`, found `)`
     --> test.tw:2:9
      |
    2 | proc g(x) { skip; }
      |         ^ `:` should stand here
      |
      = help: give each parameter's type behind its name: `x: int`
    ");
}

#[test]
fn two_results() {
    let source = "proc p() returns (a: int, b: int) { return; }";
    assert_snapshot!(complaints(source), @r"
    error: a procedure has one result, not 2
     --> test.tw:1:18
      |
    1 | proc p() returns (a: int, b: int) { return; }
      |                  ^^^^^^^^^^^^^^^^ one name and its type
      |
      = help: leave `returns` out, or pass the others through shared variables
    ");
}

#[test]
fn rely_without_subject() {
    let source = "rely x' >= x;";
    assert_snapshot!(complaints(source), @r"
    error: expected `forall` or a thread's name and `::`, found `x`
     --> test.tw:1:6
      |
    1 | rely x' >= x;
      |      ^ `forall` or a thread's name and `::` should stand here
      |
      = help: write `forall i: tid :: F` for every thread, or `P :: F` for thread `P`
    ");
}

#[test]
fn rely_without_formula() {
    let source = "rely forall i: tid;";
    assert_snapshot!(complaints(source), @r"
    error: expected `::`, found `;`
     --> test.tw:1:19
      |
    1 | rely forall i: tid;
      |                   ^ `::` should stand here
      |
      = help: write `forall i: T :: e`, `exists i: T :: e` or `count(i: T :: e)`
    ");
}

#[test]
fn broken_abstract_thread() {
    let source = "\
abstract W {
  init X1
  idle;
  X1: g > 0;
  X1 => X2;
}
";
    assert_snapshot!(complaints(source), @r"
    error: expected `;`, found `idle`
     --> test.tw:2:10
      |
    2 |   init X1
      |          ^ `;` is missing here

    error: expected `assert` or `;`, found `g`
     --> test.tw:4:7
      |
    4 |   X1: g > 0;
      |       ^ `assert` or `;` should stand here
      |
      = help: write `X1: assert e;`, or `X1:;` for `true`

    error: expected a node or an edge, found `X1`
     --> test.tw:5:3
      |
    5 |   X1 => X2;
      |   ^^ not a part of an abstract thread
      |
      = help: there are `init X;`, `idle;`, nodes `X: assert e;` or `X:;`, and edges `X -> Y [g] F;`
    ");
}

#[test]
fn exceptions_with_slips() {
    let source = "\
exception x > 0;
exceptions
shared x: int
exceptions x > 1
exceptions P@a, P@b;
";
    assert_snapshot!(complaints(source), @r"
    error: expected a declaration, found `exception`
     --> test.tw:1:1
      |
    1 | exception x > 0;
      | ^^^^^^^^^ not a keyword
      |
      = help: did you mean `exceptions`?

    error: expected an expression, found the keyword `shared`
     --> test.tw:2:11
      |
    2 | exceptions
      |           ^ an expression should stand here

    error: expected `;`, found `exceptions`
     --> test.tw:3:14
      |
    3 | shared x: int
      |              ^ `;` is missing here

    error: expected `;`, found `exceptions`
     --> test.tw:4:17
      |
    4 | exceptions x > 1
      |                 ^ `;` is missing here

    error: expected `;`, found `,`
     --> test.tw:5:15
      |
    5 | exceptions P@a, P@b;
      |               ^ `;` should stand before this
    ");
}

#[test]
fn exceptions_inside_a_thread() {
    let source = "\
thread P {
  A: skip;
  exceptions P@A;
";
    assert_snapshot!(complaints(source), @r"
    error: this `{` is never closed
     --> test.tw:1:10
      |
    1 | thread P {
      |          ^ opened here
    2 |   A: skip;
    3 |   exceptions P@A;
      |                  - a `}` is missing, at the latest here

    error: `exceptions` cannot stand inside a block
     --> test.tw:3:3
      |
    3 |   exceptions P@A;
      |   ^^^^^^^^^^ this declares something for the whole program
      |
      = help: move it out of the block; perhaps a `}` is missing above
    ");
}

#[test]
fn exceptions_after_a_thread_that_is_not_closed() {
    let source = "\
thread P {
  A: skip;
exceptions P@A;
";
    assert_snapshot!(complaints(source), @r"
    error: this `{` is never closed
     --> test.tw:1:10
      |
    1 | thread P {
      |          ^ opened here
    2 |   A: skip;
      |           - a `}` is missing, at the latest here
    ");
}
