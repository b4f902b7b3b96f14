//! Text that is no token, and keywords where names belong.
//!
//! Each message should make sense to somebody who sees the language for the first time.

use crate::common::complaints;
use insta::assert_snapshot;

#[test]
fn unknown_characters() {
    let source = "\
invariant x ≠ 1;
shared § §§§: int;
";
    assert_snapshot!(complaints(source), @r"
    error: unknown character `≠`
     --> test.tw:1:13
      |
    1 | invariant x ≠ 1;
      |             ^ the language does not use this
      |
      = help: write `!=`

    error: unknown character `§`
     --> test.tw:2:8
      |
    2 | shared § §§§: int;
      |        ^ the language does not use this

    error: unknown characters
     --> test.tw:2:10
      |
    2 | shared § §§§: int;
      |          ^^^ the language does not use this
    ");
}

#[test]
fn strings() {
    let source = "thread P { print(\"hello\"); }";
    assert_snapshot!(complaints(source), @r#"
    error: expected an expression, found `"hello"`
     --> test.tw:1:18
      |
    1 | thread P { print("hello"); }
      |                  ^^^^^^^ an expression should stand here
      |
      = help: only messages of assertions are text; an `enum` gives names to values
    "#);
}

#[test]
fn zero_bytes() {
    let source = "shared x: int\0;";
    assert_snapshot!(complaints(source), @r"
    error: unknown character U+0000
     --> test.tw:1:14
      |
    1 | shared x: int␀;
      |              ^ the language does not use this
    ");
}

#[test]
fn comment_without_end() {
    let source = "\
thread P {
  skip; /* never closed
}
";
    assert_snapshot!(complaints(source), @r"
    error: this comment is never closed
     --> test.tw:2:9
      |
    2 |   skip; /* never closed
      |         ^^ the comment starts here and swallows the rest of the file
      |
      = help: close it with `*/`; comments do not nest
    ");
}

#[test]
fn integer_too_large() {
    let source = "const N = 18446744073709551616;";
    assert_snapshot!(complaints(source), @r"
    error: this integer is too large
     --> test.tw:1:11
      |
    1 | const N = 18446744073709551616;
      |           ^^^^^^^^^^^^^^^^^^^^ literals go up to 18446744073709551615
      |
      = help: values may grow beyond this, only literals may not
    ");
}

#[test]
fn digits_and_letters() {
    let source = "const N = 4x;";
    assert_snapshot!(complaints(source), @r"
    error: `4x` is neither a number nor a name
     --> test.tw:1:11
      |
    1 | const N = 4x;
      |           ^^ a number has only digits, and a name does not start with one
    ");
}

#[test]
fn keyword_as_variable() {
    let source = "shared init: int;";
    assert_snapshot!(complaints(source), @r"
    error: the keyword `init` cannot be a name
     --> test.tw:1:8
      |
    1 | shared init: int;
      |        ^^^^ expected the name of a variable
      |
      = help: choose another name, for example `init_`
    ");
}

#[test]
fn keyword_as_label() {
    let source = "thread P { loop: skip; }";
    assert_snapshot!(complaints(source), @r"
    error: the keyword `loop` cannot be a name
     --> test.tw:1:12
      |
    1 | thread P { loop: skip; }
      |            ^^^^ expected a label
      |
      = help: choose another name, for example `loop_`
    ");
}

#[test]
fn keyword_in_an_expression() {
    let source = "thread P { x = lock + type; }";
    assert_snapshot!(complaints(source), @r"
    error: expected an expression, found the keyword `type`
     --> test.tw:1:23
      |
    1 | thread P { x = lock + type; }
      |                       ^^^^ an expression should stand here
      |
      = help: `type` is a keyword and cannot be a name
    ");
}
