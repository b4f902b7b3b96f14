//! Expressions that are not quite right.
//!
//! Each message should make sense to somebody who sees the language for the first time.

use crate::common::complaints;
use insta::assert_snapshot;

#[test]
fn assignment_in_a_condition() {
    let source = "\
thread P {
  if (x = 1) { skip; }
}
";
    assert_snapshot!(complaints(source), @r"
    error: `=` assigns; it cannot stand in an expression
     --> test.tw:2:9
      |
    2 |   if (x = 1) { skip; }
      |         ^ a comparison is written `==`
    ");
}

#[test]
fn assignment_in_an_assertion() {
    let source = "thread P { assert x = 1; }";
    assert_snapshot!(complaints(source), @r"
    error: `=` assigns; it cannot stand in an expression
     --> test.tw:1:21
      |
    1 | thread P { assert x = 1; }
      |                     ^ a comparison is written `==`
    ");
}

#[test]
fn chained_assignment() {
    let source = "thread P { x = y = 0; }";
    assert_snapshot!(complaints(source), @r"
    error: `=` assigns; it cannot stand in an expression
     --> test.tw:1:18
      |
    1 | thread P { x = y = 0; }
      |                  ^ a comparison is written `==`
    ");
}

/// They are operators on bits, and bind tighter than comparisons.
#[test]
fn single_ampersand_and_bar() {
    let source = "\
never x == 1 & y == 2;
never x == 1 | y == 2;
";
    assert_snapshot!(complaints(source), @r"
    error: comparisons cannot be chained
     --> test.tw:1:18
      |
    1 | never x == 1 & y == 2;
      |       ---------- ^^ a second comparison
      |       |
      |       this is already one
      |
      = help: `&` works on bits; join conditions with `&&`

    error: comparisons cannot be chained
     --> test.tw:2:18
      |
    2 | never x == 1 | y == 2;
      |       ---------- ^^ a second comparison
      |       |
      |       this is already one
      |
      = help: `|` works on bits; join conditions with `||`
    ");
}

#[test]
fn other_arrows() {
    let source = "\
invariant a => b;
invariant a <=> b;
";
    assert_snapshot!(complaints(source), @r"
    error: there is no operator `=>`
     --> test.tw:1:13
      |
    1 | invariant a => b;
      |             ^^ write `==>`

    error: there is no operator `<=>`
     --> test.tw:2:13
      |
    2 | invariant a <=> b;
      |             ^^^ write `<==>`
    ");
}

#[test]
fn words_for_operators() {
    let source = "invariant a and b or c;";
    assert_snapshot!(complaints(source), @r"
    error: there is no operator `and`
     --> test.tw:1:13
      |
    1 | invariant a and b or c;
      |             ^^^ write `&&`

    error: there is no operator `or`
     --> test.tw:1:19
      |
    1 | invariant a and b or c;
      |                   ^^ write `||`
    ");
}

#[test]
fn a_word_for_not() {
    let source = "\
invariant not x;
invariant not (x);
";
    assert_snapshot!(complaints(source), @r"
    error: there is no operator `not`
     --> test.tw:1:11
      |
    1 | invariant not x;
      |           ^^^ write `!`

    error: there is no operator `not`
     --> test.tw:2:11
      |
    2 | invariant not (x);
      |           ^^^ write `!`
    ");
}

#[test]
fn chained_comparison() {
    let source = "invariant 0 <= x < N;";
    assert_snapshot!(complaints(source), @r"
    error: comparisons cannot be chained
     --> test.tw:1:18
      |
    1 | invariant 0 <= x < N;
      |           ------ ^ a second comparison
      |           |
      |           this is already one
      |
      = help: write `a < b && b < c`, or use parentheses to compare truth values
    ");
}

#[test]
fn missing_operand() {
    let source = "thread P { x = 1 + ; }";
    assert_snapshot!(complaints(source), @r"
    error: expected an expression, found `;`
     --> test.tw:1:20
      |
    1 | thread P { x = 1 + ; }
      |                    ^ an expression should stand here
    ");
}

#[test]
fn missing_closing_parenthesis() {
    let source = "\
thread P {
  assert (x + 1 > 0;
  skip;
}
";
    assert_snapshot!(complaints(source), @r"
    error: expected `)`, found `;`
     --> test.tw:2:20
      |
    2 |   assert (x + 1 > 0;
      |          -         ^ `)` is missing here
      |          |
      |          to close this one
    ");
}

#[test]
fn call_in_an_expression() {
    let source = "thread P { x = f(1) + 2; assert g(x); }";
    assert_snapshot!(complaints(source), @r"
    error: the call of `f` cannot stand inside an expression
     --> test.tw:1:16
      |
    1 | thread P { x = f(1) + 2; assert g(x); }
      |                ^ a call is a statement of its own
      |
      = help: store the result first: `r = f(…);`

    error: the call of `g` cannot stand inside an expression
     --> test.tw:1:33
      |
    1 | thread P { x = f(1) + 2; assert g(x); }
      |                                 ^ a call is a statement of its own
      |
      = help: store the result first: `r = g(…);`
    ");
}

#[test]
fn star_in_an_expression() {
    let source = "thread P { x = 1 + *; }";
    assert_snapshot!(complaints(source), @r"
    error: expected an expression, found `*`
     --> test.tw:1:20
      |
    1 | thread P { x = 1 + *; }
      |                    ^ an expression should stand here
      |
      = help: `*` stands alone: `x = *;` for any value, `if (*)` for either way
    ");
}

#[test]
fn quantifier_without_colons() {
    let source = "\
invariant forall i: tid. x > 0;
never exists i :: P@a;
";
    assert_snapshot!(complaints(source), @r"
    error: expected `::`, found `.`
     --> test.tw:1:24
      |
    1 | invariant forall i: tid. x > 0;
      |                        ^ `::` should stand here
      |
      = help: write `forall i: T :: e`, `exists i: T :: e` or `count(i: T :: e)`

    error: expected `:`, found `::`
     --> test.tw:2:16
      |
    2 | never exists i :: P@a;
      |                ^^ `:` should stand here
      |
      = help: write `forall i: T :: e`, `exists i: T :: e` or `count(i: T :: e)`
    ");
}
