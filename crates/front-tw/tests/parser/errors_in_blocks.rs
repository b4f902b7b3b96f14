//! Braces that do not match, and several errors at once.
//!
//! Each message should make sense to somebody who sees the language for the first time.

use crate::common::complaints;
use insta::assert_snapshot;

#[test]
fn unclosed_block() {
    let source = "\
thread P {
  loop {
    x = 1;
}

thread Q { skip; }
";
    assert_snapshot!(complaints(source), @r"
    error: this `{` is never closed
     --> test.tw:2:8
      |
    2 |   loop {
      |        ^ opened here
    3 |     x = 1;
    4 | }
      | - this `}` seems to belong to an outer block
    ");
}

#[test]
fn unclosed_block_among_others() {
    let source = "\
shared x: int;
thread P {
  if (x > 0) {
    x = 1;
  loop {
    skip;
  }
}
never x > 3;
";
    assert_snapshot!(complaints(source), @r"
    error: this `{` is never closed
     --> test.tw:3:14
      |
    3 |   if (x > 0) {
      |              ^ opened here
    ...
    8 | }
      | - this `}` seems to belong to an outer block
    ");
}

#[test]
fn unclosed_block_at_the_end() {
    let source = "\
thread P {
  skip;
";
    assert_snapshot!(complaints(source), @r"
    error: this `{` is never closed
     --> test.tw:1:10
      |
    1 | thread P {
      |          ^ opened here
    2 |   skip;
      |        - a `}` is missing, at the latest here
    ");
}

#[test]
fn closing_brace_too_many() {
    let source = "\
thread P {
  skip;
}
  x = 1;
  y = 2;
}
shared z: ;
";
    assert_snapshot!(complaints(source), @r"
    error: expected a declaration, found `x`
     --> test.tw:4:3
      |
    4 |   x = 1;
      |   ^ a statement outside of every thread
      |
      = help: statements stand in `thread … { }`; perhaps a `}` above is one too many

    error: expected a type, found `;`
     --> test.tw:7:11
      |
    7 | shared z: ;
      |           ^ a type should stand here
    ");
}

#[test]
fn broken_condition_keeps_the_body() {
    let source = "\
thread P {
  while (x >) {
    y = ;
  }
}
";
    assert_snapshot!(complaints(source), @r"
    error: expected an expression, found `)`
     --> test.tw:2:13
      |
    2 |   while (x >) {
      |             ^ an expression should stand here

    error: expected an expression, found `;`
     --> test.tw:3:9
      |
    3 |     y = ;
      |         ^ an expression should stand here
    ");
}

#[test]
fn several_errors_in_one_file() {
    let source = "\
shared x int;
thread P {
  x = ;
  y = (1 + 2;
  goto 3;
}
never x =;
";
    assert_snapshot!(complaints(source), @r"
    error: expected `:` and a type, found `int`
     --> test.tw:1:10
      |
    1 | shared x int;
      |          ^^^ `:` and a type should stand here
      |
      = help: write `shared x: int;`

    error: expected an expression, found `;`
     --> test.tw:3:7
      |
    3 |   x = ;
      |       ^ an expression should stand here

    error: expected `)`, found `;`
     --> test.tw:4:13
      |
    4 |   y = (1 + 2;
      |       -     ^ `)` is missing here
      |       |
      |       to close this one

    error: expected a label, found `3`
     --> test.tw:5:8
      |
    5 |   goto 3;
      |        ^ a label should stand here

    error: `=` assigns; it cannot stand in an expression
     --> test.tw:7:9
      |
    7 | never x =;
      |         ^ a comparison is written `==`

    error: expected an expression, found `;`
     --> test.tw:7:10
      |
    7 | never x =;
      |          ^ an expression should stand here
    ");
}
