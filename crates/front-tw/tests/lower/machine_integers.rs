//! Machine integers: which constants take their types, what mixes, what is folded.

use crate::show::{errors, graph, program};
use insta::assert_snapshot;
use threadwise_ir::{Expr, ExprKind, Initial};

#[test]
fn constants_take_the_type_of_what_they_meet() {
    let text = r"
const N = 0x10;
shared x: u8 = 0xff;
shared y: i16 = -0x8000;
shared z: u64 = 0xffffffffffffffff;
shared s: set<i8>;
shared a: [u8]bool;
thread P {
  x = x + N;
  x = (x > 2 ? 1 : N - 1) & x;
  y = -y / -3;
  z = ~z ^ 18446744073709551615;
  s = {-1, 127};
  await 3 in s && x in {1, 2};
  a[255] = a[x];
  x = u8(y) << 1 >> int(z);
  for k in 3..3 { x = k; }
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | x = x + N;
      x = (x Add 16) -> 1
    1: | x = (x > 2 ? 1 : N - 1) & x;
      x = (((x Gt 2) ? 1 : 15) BitAnd x) -> 2
    2: | y = -y / -3;
      y = (Neg(y) Div -3) -> 3
    3: | z = ~z ^ 18446744073709551615;
      z = (BitNot(z) BitXor -1) -> 4
    4: | s = {-1, 127};
      s = {-1, 127}:set<i8> -> 5
    5: | await 3 in s && x in {1, 2};
      when ((3 In s) And (x In {1, 2}:set<u8>)) -> 6
    6: | a[255] = a[x];
      a[255] = a[x] -> 7
    7: | x = u8(y) << 1 >> int(z);
      x = ((Convert(y) Shl 1) Shr Convert(z)) -> 8
    8: | x = k;
      x = 3 -> 9
    9: <exit> | }
    ");
    let initial = |var: &threadwise_ir::SharedVar| match &var.init {
        Initial::Value(Expr { kind: ExprKind::Const(word), .. }) => Some(*word),
        _ => None,
    };
    let words: Vec<i64> = program(text).shared.iter().filter_map(initial).collect();
    assert_eq!(words, [255, -32768, -1]);
}

#[test]
fn constants_are_folded_as_the_machine_computes_them() {
    let text = r"
shared x: u8;
shared y: i8;
shared b: bool;
thread P {
  x = u8(255) + 1;
  x = u8(300);
  x = u8(1) << 7 >> 3;
  y = i8(-128) / -1;
  y = i8(-7) / 2;
  y = i8(-7) % 2;
  y = -i8(-128);
  y = i8(u8(200));
  x = u8(1) / 0;
  x = u8(1) << -1;
  b = 0xffffffffffffffff > 1;
  b = int(u8(200)) > 1;
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | x = u8(255) + 1;
      x = 0 -> 1
    1: | x = u8(300);
      x = 44 -> 2
    2: | x = u8(1) << 7 >> 3;
      x = 16 -> 3
    3: | y = i8(-128) / -1;
      y = -128 -> 4
    4: | y = i8(-7) / 2;
      y = -3 -> 5
    5: | y = i8(-7) % 2;
      y = -1 -> 6
    6: | y = -i8(-128);
      y = -128 -> 7
    7: | y = i8(u8(200));
      y = -56 -> 8
    8: | x = u8(1) / 0;
      x = (1 Div 0) -> 9
    9: | x = u8(1) << -1;
      x = (1 Shl -1) -> 10
    10: | b = 0xffffffffffffffff > 1;
      b = (-1 Gt 1) -> 11
    11: | b = int(u8(200)) > 1;
      b = (200 Gt 1) -> 12
    12: <exit> | }
    ");
}

#[test]
fn constants_that_do_not_fit() {
    let text = r"
shared x: u8 = 256;
shared y: i8;
shared n: int = 9223372036854775808;
thread P {
  x = x + -1;
  y = y == 128 ? 1 : -129;
  x = 0xffffffffffffffff;
}
";
    assert_snapshot!(errors(text), @r"
    error: 256 is no value of type `u8`
     --> t.tw:1:16
      |
    1 | shared x: u8 = 256;
      |                ^^^ its values go from 0 to 255
      |
      = help: write `u8(256)` for what is left of it after wrapping around

    error: expected a value of type `int`, found `u64`
     --> t.tw:3:17
      |
    3 | shared n: int = 9223372036854775808;
      |                 ^^^^^^^^^^^^^^^^^^^ this is of type `u64`
      |
      = help: numbers above 9223372036854775807 are of type `u64`

    error: -1 is no value of type `u8`
     --> t.tw:5:11
      |
    5 |   x = x + -1;
      |           ^^ its values go from 0 to 255
      |
      = help: write `u8(-1)` for what is left of it after wrapping around

    error: 128 is no value of type `i8`
     --> t.tw:6:12
      |
    6 |   y = y == 128 ? 1 : -129;
      |            ^^^ its values go from -128 to 127
      |
      = help: write `i8(128)` for what is left of it after wrapping around

    error: expected a value of type `u8`, found `u64`
     --> t.tw:7:7
      |
    7 |   x = 0xffffffffffffffff;
      |       ^^^^^^^^^^^^^^^^^^ this is of type `u64`
      |
      = help: convert it: `u8(0xffffffffffffffff)`
    ");
}

#[test]
fn types_do_not_mix() {
    let text = r"
shared x: u8;
shared y: i8;
shared n: int;
shared r: 0..255;
thread P {
  x = y;
  x = n;
  n = x;
  x = x + y;
  n = n * x;
  await x < y;
  await r == x;
  x = n > 0 ? x : r;
}
";
    assert_snapshot!(errors(text), @r"
    error: expected a value of type `u8`, found `i8`
     --> t.tw:6:7
      |
    6 |   x = y;
      |       ^ this is of type `i8`
      |
      = help: convert it: `u8(y)`

    error: expected a value of type `u8`, found `int`
     --> t.tw:7:7
      |
    7 |   x = n;
      |       ^ this is of type `int`
      |
      = help: convert it: `u8(n)`

    error: expected a value of type `int`, found `u8`
     --> t.tw:8:7
      |
    8 |   n = x;
      |       ^ this is of type `u8`
      |
      = help: convert it: `int(x)`

    error: `+` does not mix values of type `u8` and `i8`
     --> t.tw:9:11
      |
    9 |   x = x + y;
      |       -   ^ this is of type `i8`
      |       |
      |       this is of type `u8`
      |
      = help: convert it: `u8(y)`

    error: `*` does not mix values of type `int` and `u8`
      --> t.tw:10:11
       |
    10 |   n = n * x;
       |       -   ^ this is of type `u8`
       |       |
       |       this is of type `int`
       |
       = help: convert it: `int(x)`

    error: a comparison does not mix values of type `u8` and `i8`
      --> t.tw:11:13
       |
    11 |   await x < y;
       |         -   ^ this is of type `i8`
       |         |
       |         this is of type `u8`
       |
       = help: convert it: `u8(y)`

    error: a comparison does not mix values of type `0..255` and `u8`
      --> t.tw:12:14
       |
    12 |   await r == x;
       |         -    ^ this is of type `u8`
       |         |
       |         this is of type `0..255`
       |
       = help: convert it: `int(x)`

    error: the branches are of different types, `u8` and `0..255`
      --> t.tw:13:19
       |
    13 |   x = n > 0 ? x : r;
       |               -   ^ this is of type `0..255`
       |               |
       |               this is of type `u8`
    ");
}

#[test]
fn bit_operations_are_for_integers() {
    let text = r"
shared x: u8;
shared b: bool;
shared n: int;
thread P {
  await b & b | b;
  b = ~b;
  x = x ^ n;
  x = x << b;
  x = u8(b);
}
";
    assert_snapshot!(errors(text), @r"
    error: `&` is for integers, not for type `bool`
     --> t.tw:5:9
      |
    5 |   await b & b | b;
      |         ^ this is of type `bool`
      |
      = help: write `&&` for conditions

    error: `~` is for integers, not for type `bool`
     --> t.tw:6:8
      |
    6 |   b = ~b;
      |        ^ this is of type `bool`
      |
      = help: write `!` for conditions

    error: `^` does not mix values of type `u8` and `int`
     --> t.tw:7:11
      |
    7 |   x = x ^ n;
      |       -   ^ this is of type `int`
      |       |
      |       this is of type `u8`
      |
      = help: convert it: `u8(n)`

    error: expected a value of type `int`, found `bool`
     --> t.tw:8:12
      |
    8 |   x = x << b;
      |            ^ this is of type `bool`
      |
      = help: for a number write `b ? 1 : 0`

    error: expected a value of type `int`, found `bool`
     --> t.tw:9:10
      |
    9 |   x = u8(b);
      |          ^ this is of type `bool`
      |
      = help: for a number write `b ? 1 : 0`
    ");
}

#[test]
fn too_many_values() {
    let text = r"
shared s: set<u16>;
shared a: [u32]bool;
shared x: u32;
thread P {
  await forall i: u32 :: i > 0;
  await x in {1, 2};
}
";
    assert_snapshot!(errors(text), @r"
    error: `u16` has too many values for a set
     --> t.tw:1:15
      |
    1 | shared s: set<u16>;
      |               ^^^ at most 4096 values are supported

    error: `u32` has too many values for an array
     --> t.tw:2:12
      |
    2 | shared a: [u32]bool;
      |            ^^^ at most 65536 values are supported

    error: this type has too many values for a bound variable
     --> t.tw:5:19
      |
    5 |   await forall i: u32 :: i > 0;
      |                   ^^^ at most 1048576 values are supported

    error: `u32` has too many values for a set
     --> t.tw:6:14
      |
    6 |   await x in {1, 2};
      |              ^^^^^^ at most 4096 values are supported
    ");
}

/// The names of types are no keywords.
#[test]
fn names_of_types_are_names() {
    let text = r"
shared u8: u8;
shared i32: int;
thread P { var int: i32; int = i32(u8); u8 = u8 + u8(int); i32 = i32 + int(u8); }
invariant u8 >= 0;
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> <transient> | var int: i32;
      int#0 = 0 -> 1
    1: | int = i32(u8);
      int#0 = Convert(u8) -> 2
    2: | u8 = u8 + u8(int);
      u8 = (u8 Add Convert(int#0)) -> 3
    3: | i32 = i32 + int(u8);
      i32 = (i32 Add Convert(u8)) -> 4
    4: <exit> | }
    ");
}
