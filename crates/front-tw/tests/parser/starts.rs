//! `start` and `join`: keywords where another name follows, names everywhere else.

use crate::common::{assert_round_trip, complaints};
use insta::assert_snapshot;
use threadwise_front_tw::printer;
use threadwise_source::SourceFile;

#[test]
fn statements_and_heads() {
    let source = "\
thread W() {
}
thread V[2](x: int, y: [0..1]bool) {
  start W();
  t = start V(1, b);
  a[i] = start V(1, b);
  L: join t;
  join a[i + 1];
  join self;
}
thread U[*](x: tid) {
}
";
    let file = SourceFile::new("test.tw", source);
    assert_eq!(printer::print(&crate::common::parse_clean(&file)), source);
    assert_round_trip(&file);
}

#[test]
fn they_are_names_elsewhere() {
    let source = "\
shared start, join: int;
proc join(start: int) {
  start = join;
  join[0] = start;
  join(start);
  start: join: skip;
  x, start, join = start, join, start;
}
";
    let file = SourceFile::new("test.tw", source);
    assert_eq!(printer::print(&crate::common::parse_clean(&file)), source);
    assert_round_trip(&file);
}

#[test]
fn a_start_is_no_value() {
    let source = "\
thread P {
  var t: tid = start W(1);
  x = 1 + start W(1);
  x, y = start W(1), 2;
  p(start W(1));
}
invariant start W(1) == none;
";
    assert_snapshot!(complaints(source), @r"
    error: a start is a statement and no value
     --> test.tw:2:16
      |
    2 |   var t: tid = start W(1);
      |                ^^^^^ only `t = start …;` assigns its result
      |
      = help: declare a variable `t: tid` before it, and write `t = start …;` as a statement of its own

    error: a start is a statement and no value
     --> test.tw:3:11
      |
    3 |   x = 1 + start W(1);
      |           ^^^^^ only `t = start …;` assigns its result
      |
      = help: declare a variable `t: tid` before it, and write `t = start …;` as a statement of its own

    error: a start is a statement and no value
     --> test.tw:4:10
      |
    4 |   x, y = start W(1), 2;
      |          ^^^^^ only `t = start …;` assigns its result
      |
      = help: declare a variable `t: tid` before it, and write `t = start …;` as a statement of its own

    error: a start is a statement and no value
     --> test.tw:5:5
      |
    5 |   p(start W(1));
      |     ^^^^^ only `t = start …;` assigns its result
      |
      = help: declare a variable `t: tid` before it, and write `t = start …;` as a statement of its own

    error: a start is a statement and no value
     --> test.tw:7:11
      |
    7 | invariant start W(1) == none;
      |           ^^^^^ only `t = start …;` assigns its result
      |
      = help: declare a variable `t: tid` before it, and write `t = start …;` as a statement of its own
    ");
}

#[test]
fn arguments_stand_in_parentheses() {
    let source = "\
thread P {
  start W;
  t = start W
  join t
  start W()
}
";
    assert_snapshot!(complaints(source), @r"
    error: expected `(`, found `;`
     --> test.tw:2:10
      |
    2 |   start W;
      |          ^ `(` should stand here
      |
      = help: arguments stand in parentheses, also if there are none: `start W();`

    error: expected `(`, found `join`
     --> test.tw:3:14
      |
    3 |   t = start W
      |              ^ `(` should stand here
      |
      = help: arguments stand in parentheses, also if there are none: `start W();`
    ");
}

#[test]
fn a_join_takes_an_operand() {
    assert_snapshot!(complaints("thread P { join t == u; join; }"), @r"
    error: expected `;`, found `==`
     --> test.tw:1:19
      |
    1 | thread P { join t == u; join; }
      |                   ^^ `;` should stand before this

    error: expected `=`, found `;`
     --> test.tw:1:29
      |
    1 | thread P { join t == u; join; }
      |                             ^ `=` should stand here
      |
      = help: an assignment is written `join = e;`
    ");
}
