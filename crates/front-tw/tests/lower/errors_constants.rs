//! Constants, ranges and unrolling.

use crate::show::errors;
use insta::assert_snapshot;

#[test]
fn constant_cycle() {
    let text = r"
const A = B + 1;
const B = A;
thread W[A] { skip; }
";
    assert_snapshot!(errors(text), @r"
    error: the constant `A` is defined by itself
     --> t.tw:1:7
      |
    1 | const A = B + 1;
      |       ^ its value depends on its value
    ");
}

#[test]
fn constant_overflow_and_division() {
    let text = r"
const A = 9223372036854775807 + 1;
const B = 1 / 0;
thread P { skip; }
";
    assert_snapshot!(errors(text), @r"
    error: this constant is too large
     --> t.tw:1:11
      |
    1 | const A = 9223372036854775807 + 1;
      |           ^^^^^^^^^^^^^^^^^^^^^^^ its value does not fit 64 bits

    error: this constant divides by zero
     --> t.tw:2:11
      |
    2 | const B = 1 / 0;
      |           ^^^^^ the divisor is 0
    ");
}

#[test]
fn not_a_constant() {
    let text = r"
shared x: int;
thread W[x + 1] { skip; }
";
    assert_snapshot!(errors(text), @r"
    error: expected a constant, but `x` is a shared variable
     --> t.tw:2:10
      |
    2 | thread W[x + 1] { skip; }
      |          ^ its value is not a compile-time integer
    ");
}

#[test]
fn negative_copies() {
    let text = r"
const N = 2;
thread W[N - 3] { skip; }
";
    assert_snapshot!(errors(text), @r"
    error: a thread cannot have -1 copies
     --> t.tw:2:10
      |
    2 | thread W[N - 3] { skip; }
      |          ^^^^^ expected a number from 0 to 65536
    ");
}

#[test]
fn empty_range() {
    let text = r"
shared x: 3..1;
thread P { skip; }
";
    assert_snapshot!(errors(text), @r"
    error: the range 3..1 is empty
     --> t.tw:1:11
      |
    1 | shared x: 3..1;
      |           ^^^^ the lower bound is above the upper bound
    ");
}

#[test]
fn store_out_of_range_is_a_warning() {
    let text = r"
shared x: 0..3 = 7;
thread P { x = 2 + 2; x = 3; }
";
    assert_snapshot!(errors(text), @r"
    warning: 7 is outside the range 0..3
     --> t.tw:1:18
      |
    1 | shared x: 0..3 = 7;
      |                  ^ storing it is an error of the program

    warning: 4 is outside the range 0..3
     --> t.tw:2:16
      |
    2 | thread P { x = 2 + 2; x = 3; }
      |                ^^^^^ storing it is an error of the program
    ");
}

#[test]
fn init_that_is_false_is_a_warning() {
    let text = r"
const N = 2;
shared x: int;
init N > 3;
thread P { skip; }
";
    assert_snapshot!(errors(text), @r"
    warning: there is no initial state
     --> t.tw:3:6
      |
    3 | init N > 3;
      |      ^^^^^ this is always false, so every property holds
    ");
}

#[test]
fn unrolling_has_a_limit() {
    let text = r"
shared x: int;
thread P { for i in 1..100000 { for j in 1..100000 { x = x + 1; } } }
";
    assert_snapshot!(errors(text), @r"
    error: the program is too large
     --> t.tw:2:12
      |
    2 | thread P { for i in 1..100000 { for j in 1..100000 { x = x + 1; } } }
      |            ^^^^^^^^^^^^^^^^^^ unrolling this loop gives millions of statements
      |
      = help: shorten its range, or use `while`
    ");
}
