//! Statements and blocks that are not quite right.
//!
//! Each message should make sense to somebody who sees the language for the first time.

use crate::common::complaints;
use insta::assert_snapshot;

#[test]
fn missing_semicolon() {
    let source = "\
shared x: int;
thread P {
  x = 1
  x = 2;
}
";
    assert_snapshot!(complaints(source), @r"
    error: expected `;`, found `x`
     --> test.tw:3:8
      |
    3 |   x = 1
      |        ^ `;` is missing here
    ");
}

#[test]
fn missing_semicolon_at_the_end_of_a_block() {
    let source = "\
thread P {
  skip
}
";
    assert_snapshot!(complaints(source), @r"
    error: expected `;`, found `}`
     --> test.tw:2:7
      |
    2 |   skip
      |       ^ `;` is missing here
    ");
}

#[test]
fn two_statements_on_a_line() {
    let source = "thread P { x = 1 y = 2; }";
    assert_snapshot!(complaints(source), @r"
    error: expected `;`, found `y`
     --> test.tw:1:17
      |
    1 | thread P { x = 1 y = 2; }
      |                 ^ `;` is missing here
    ");
}

#[test]
fn two_expressions_in_a_row() {
    let source = "thread P { x = 1 2; }";
    assert_snapshot!(complaints(source), @r"
    error: expected `;`, found `2`
     --> test.tw:1:18
      |
    1 | thread P { x = 1 2; }
      |                  ^ `;` should stand before this
    ");
}

#[test]
fn stray_semicolons() {
    let source = "\
shared x: int;;
thread P { if (*) { skip; }; };
";
    assert_snapshot!(complaints(source), @r"
    error: expected a declaration, found `;`
     --> test.tw:1:15
      |
    1 | shared x: int;;
      |               ^ nothing stands before this semicolon
      |
      = help: remove it

    error: expected a statement, found `;`
     --> test.tw:2:28
      |
    2 | thread P { if (*) { skip; }; };
      |                            ^ nothing stands before this semicolon
      |
      = help: remove it; the statement that does nothing is `skip;`

    error: expected a declaration, found `;`
     --> test.tw:2:31
      |
    2 | thread P { if (*) { skip; }; };
      |                               ^ nothing stands before this semicolon
      |
      = help: remove it
    ");
}

#[test]
fn colon_equals() {
    let source = "thread P { x := 1; }";
    assert_snapshot!(complaints(source), @r"
    error: `:=` is not part of the language
     --> test.tw:1:14
      |
    1 | thread P { x := 1; }
      |              ^^ assignment is written `=`
      |
      = help: write `x = …;`
    ");
}

#[test]
fn comparison_as_statement() {
    let source = "thread P { x == 1; }";
    assert_snapshot!(complaints(source), @r"
    error: `==` compares and does not assign
     --> test.tw:1:14
      |
    1 | thread P { x == 1; }
      |              ^^ assignment is written `=`
      |
      = help: write `x = …;`
    ");
}

#[test]
fn increment() {
    let source = "thread P { x++; y--; }";
    assert_snapshot!(complaints(source), @r"
    error: there is no operator `++`
     --> test.tw:1:13
      |
    1 | thread P { x++; y--; }
      |             ^^ not part of the language
      |
      = help: write `x = x + 1;`

    error: there is no operator `--`
     --> test.tw:1:18
      |
    1 | thread P { x++; y--; }
      |                  ^^ not part of the language
      |
      = help: write `y = y - 1;`
    ");
}

#[test]
fn compound_assignment() {
    let source = "thread P { a[i] += n - 1; }";
    assert_snapshot!(complaints(source), @r"
    error: there is no operator `+=`
     --> test.tw:1:17
      |
    1 | thread P { a[i] += n - 1; }
      |                 ^^ not part of the language
      |
      = help: write `a[i] = a[i] + (n - 1);`
    ");
}

#[test]
fn else_without_if() {
    let source = "\
thread P {
  x = 1;
  else { skip; }
}
";
    assert_snapshot!(complaints(source), @r"
    error: expected a statement, found the keyword `else`
     --> test.tw:3:3
      |
    3 |   else { skip; }
      |   ^^^^ this `else` belongs to no `if`
      |
      = help: it must follow the `}` of its `if` at once
    ");
}

#[test]
fn if_without_parentheses() {
    let source = "\
thread P {
  if x > 0 { skip; }
}
";
    assert_snapshot!(complaints(source), @r"
    error: expected `(`, found `x`
     --> test.tw:2:6
      |
    2 |   if x > 0 { skip; }
      |      ^ a condition stands in parentheses
      |
      = help: write `if (x > 0)`
    ");
}

#[test]
fn while_without_a_condition() {
    let source = "\
thread P {
  while { skip; }
}
";
    assert_snapshot!(complaints(source), @r"
    error: expected `(` and a condition, found `{`
     --> test.tw:2:9
      |
    2 |   while { skip; }
      |         ^ `(` and a condition should stand here
      |
      = help: write `while (e) { … }`, or `while (*)` for either way
    ");
}

#[test]
fn body_without_braces() {
    let source = "\
thread P {
  if (x > 0) y = 1; else y = 2;
}
";
    assert_snapshot!(complaints(source), @r"
    error: expected `{`, found `y`
     --> test.tw:2:14
      |
    2 |   if (x > 0) y = 1; else y = 2;
      |              ^ `{` is missing here
      |
      = help: a body stands in braces even if it is a single statement

    error: expected `{`, found `y`
     --> test.tw:2:26
      |
    2 |   if (x > 0) y = 1; else y = 2;
      |                          ^ `{` is missing here
      |
      = help: a body stands in braces even if it is a single statement
    ");
}

#[test]
fn choose_without_branch() {
    let source = "thread P { choose skip; or { skip; } or skip; }";
    assert_snapshot!(complaints(source), @r"
    error: expected `{`, found the keyword `skip`
     --> test.tw:1:19
      |
    1 | thread P { choose skip; or { skip; } or skip; }
      |                   ^^^^ `{` is missing here
      |
      = help: a body stands in braces even if it is a single statement

    error: expected `{`, found the keyword `skip`
     --> test.tw:1:41
      |
    1 | thread P { choose skip; or { skip; } or skip; }
      |                                         ^^^^ `{` is missing here
      |
      = help: a body stands in braces even if it is a single statement
    ");
}

#[test]
fn misspelt_statement() {
    let source = "\
thread P {
  asert x > 0;
  whlie (x > 0) { skpi; }
}
";
    assert_snapshot!(complaints(source), @r"
    error: expected a statement, found `asert`
     --> test.tw:2:3
      |
    2 |   asert x > 0;
      |   ^^^^^ not a keyword
      |
      = help: did you mean `assert`?

    error: expected a statement, found `whlie`
     --> test.tw:3:3
      |
    3 |   whlie (x > 0) { skpi; }
      |   ^^^^^ not a keyword
      |
      = help: did you mean `while`?

    error: expected a statement, found `skpi`
     --> test.tw:3:19
      |
    3 |   whlie (x > 0) { skpi; }
      |                   ^^^^ not a keyword
      |
      = help: did you mean `skip`?
    ");
}

#[test]
fn misspelt_in_the_middle() {
    let source = "thread P { chose { skip; } or { skip; } brake; }";
    assert_snapshot!(complaints(source), @r"
    error: expected a statement, found `chose`
     --> test.tw:1:12
      |
    1 | thread P { chose { skip; } or { skip; } brake; }
      |            ^^^^^ not a keyword
      |
      = help: did you mean `choose`?

    error: expected a statement, found `brake`
     --> test.tw:1:41
      |
    1 | thread P { chose { skip; } or { skip; } brake; }
      |                                         ^^^^^ not a keyword
      |
      = help: did you mean `break`?
    ");
}

#[test]
fn lock_without_parentheses() {
    let source = "thread P { acquire m; }";
    assert_snapshot!(complaints(source), @r"
    error: expected `(`, found `m`
     --> test.tw:1:20
      |
    1 | thread P { acquire m; }
      |                    ^ `(` should stand here
      |
      = help: write `acquire(m);`, where `m` is the lock
    ");
}

#[test]
fn for_as_in_c() {
    let source = "\
thread P {
  for (k = 0; k < 3; k++) { skip; }
}
";
    assert_snapshot!(complaints(source), @r"
    error: expected the name of the loop's constant, found `(`
     --> test.tw:2:7
      |
    2 |   for (k = 0; k < 3; k++) { skip; }
      |       ^ the name of the loop's constant should stand here
      |
      = help: write `for k in 0..N - 1 { … }`; both bounds are included
    ");
}

#[test]
fn action_without_brackets() {
    let source = "thread P { action x' > x; }";
    assert_snapshot!(complaints(source), @r"
    error: expected `[`, found `x`
     --> test.tw:1:19
      |
    1 | thread P { action x' > x; }
      |                   ^ `[` should stand here
      |
      = help: name the variables that may change: `action [x] x' > x;`
    ");
}
