//! The control-flow graphs of statements, loops, jumps and atomic blocks.

use crate::show::graph;
use insta::assert_snapshot;

#[test]
fn simple_statements() {
    let text = r"
shared x: int;
shared a: [0..3]int;
thread P {
  skip;
  x = x + 1;
  x, a[x] = 2 + 3, *;
  assert x > 0;
  await x == 2;
  action [x] x' > x assert x' < 9;
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | skip;
      skip -> 1
    1: | x = x + 1;
      x = (x Add 1) -> 2
    2: | x, a[x] = 2 + 3, *;
      x = 5; a[x] = * -> 3
    3: | assert x > 0;
      assert (x Gt 0) -> 4
    4: | await x == 2;
      when (x Eq 2) -> 5
    5: | action [x] x' > x assert x' < …
      [x] (x' Gt x) assert (x' Lt 9) -> 6
    6: <exit> | }
    ");
}

#[test]
fn tests_are_two_edges() {
    let text = r"
shared x: int;
thread P {
  if (x > 0) { x = 1; } else { x = 2; }
  if (*) { x = 3; }
  x = 4;
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | if (x > 0)
      [true] when (x Gt 0) -> 1
      [false] when !(x Gt 0) -> 2
    1: | x = 1;
      x = 1 -> 3
    2: | x = 2;
      x = 2 -> 3
    3: | if (*)
      [true] skip -> 4
      [false] skip -> 5
    4: | x = 3;
      x = 3 -> 5
    5: | x = 4;
      x = 4 -> 6
    6: <exit> | }
    ");
}

#[test]
fn else_if() {
    let text = r"
shared x: int;
thread P {
  if (x == 0) { x = 1; } else if (x == 1) { x = 2; } else { skip; }
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | if (x == 0)
      [true] when (x Eq 0) -> 1
      [false] when !(x Eq 0) -> 2
    1: | x = 1;
      x = 1 -> 5
    2: | if (x == 1)
      [true] when (x Eq 1) -> 3
      [false] when !(x Eq 1) -> 4
    3: | x = 2;
      x = 2 -> 5
    4: | skip;
      skip -> 5
    5: <exit> | }
    ");
}

#[test]
fn while_leads_back_to_its_head() {
    let text = r"
shared x: int;
thread P {
  while (x < 9) invariant x <= 9 {
    if (x == 3) { break; }
    if (x == 4) { continue; }
    x = x + 1;
  }
  end: skip;
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> invariant (x Le 9) | while (x < 9)
      [true] when (x Lt 9) -> 1
      [false] when !(x Lt 9) -> 4
    1: | if (x == 3)
      [true] when (x Eq 3) -> 4
      [false] when !(x Eq 3) -> 2
    2: | if (x == 4)
      [true] when (x Eq 4) -> 0
      [false] when !(x Eq 4) -> 3
    3: | x = x + 1;
      x = (x Add 1) -> 0
    4: end | skip;
      skip -> 5
    5: <exit> | }
    ");
}

#[test]
fn loops_and_jumps_are_no_steps() {
    let text = r"
shared x: int;
thread P {
  again: loop {
    x = 1;
    if (x == 2) { goto again; }
    if (x == 3) { goto done; }
  }
  done:
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: again <entry> | x = 1;
      x = 1 -> 1
    1: | if (x == 2)
      [true] when (x Eq 2) -> 0
      [false] when !(x Eq 2) -> 2
    2: | if (x == 3)
      [true] when (x Eq 3) -> 3
      [false] when !(x Eq 3) -> 0
    3: done <exit> | }
    ");
}

#[test]
fn a_jump_to_itself_is_a_location_without_edges() {
    let text = r"
shared x: int;
thread P { x = 1; L: goto L; }
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | x = 1;
      x = 1 -> 1
    1: L | goto L;
    2: <exit> | }
    ");
}

#[test]
fn jumps_in_a_circle() {
    let text = r"
shared x: int;
thread P { x = 1; L: goto M; M: goto L; }
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | x = 1;
      x = 1 -> 1
    1: L M | goto M;
    2: <exit> | }
    ");
}

#[test]
fn choose_has_an_edge_for_each_branch() {
    let text = r"
shared x: int;
thread P { choose { x = 1; } or { await x > 0; } or { } x = 4; }
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | choose
      skip -> 1
      skip -> 2
      skip -> 3
    1: | x = 1;
      x = 1 -> 3
    2: | await x > 0;
      when (x Gt 0) -> 3
    3: | x = 4;
      x = 4 -> 4
    4: <exit> | }
    ");
}

#[test]
fn for_is_unrolled() {
    let text = r"
shared a: [0..9]int;
thread P {
  for i in 1..2 {
    for j in i..2 { here: a[i + j] = j; }
  }
  for k in 3..2 { skip; }
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: here <entry> | a[i + j] = j;
      a[2] = 1 -> 2
    1: here | a[i + j] = j;
      a[4] = 2 -> 3
    2: here | a[i + j] = j;
      a[3] = 2 -> 1
    3: <exit> | }
    ");
}

#[test]
fn break_and_continue_in_for() {
    let text = r"
shared x: int;
thread P {
  for i in 1..2 {
    if (x == i) { continue; }
    if (*) { break; }
    x = i;
  }
  x = 9;
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | if (x == i)
      [true] when (x Eq 1) -> 1
      [false] when !(x Eq 1) -> 2
    1: | if (x == i)
      [true] when (x Eq 2) -> 6
      [false] when !(x Eq 2) -> 3
    2: | if (*)
      [true] skip -> 6
      [false] skip -> 4
    3: | if (*)
      [true] skip -> 6
      [false] skip -> 5
    4: | x = i;
      x = 1 -> 1
    5: | x = i;
      x = 2 -> 6
    6: | x = 9;
      x = 9 -> 7
    7: <exit> | }
    ");
}

#[test]
fn atomic_blocks() {
    let text = r"
shared x: int;
thread P {
  atomic { x = 1; atomic { x = 2; } }
  x = 3;
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | atomic
      skip -> 1
    1: <transient> | x = 1;
      x = 1 -> 2
    2: <transient> | x = 2;
      x = 2 -> 3
    3: <transient> | }
      skip -> 4
    4: | x = 3;
      x = 3 -> 5
    5: <exit> | }
    ");
}

#[test]
fn leaving_an_atomic_block_by_a_jump() {
    let text = r"
shared x: int;
thread P {
  loop {
    atomic {
      if (x == 1) { break; }
      if (x == 2) { continue; }
      if (x == 3) { goto out; }
      if (x == 4) { return; }
    }
  }
  x = 5;
  out: x = 6;
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | atomic
      skip -> 1
    1: <transient> | if (x == 1)
      [true] when (x Eq 1) -> 6
      [false] when !(x Eq 1) -> 2
    2: <transient> | if (x == 2)
      [true] when (x Eq 2) -> 0
      [false] when !(x Eq 2) -> 3
    3: <transient> | if (x == 3)
      [true] when (x Eq 3) -> 7
      [false] when !(x Eq 3) -> 4
    4: <transient> | if (x == 4)
      [true] when (x Eq 4) -> 8
      [false] when !(x Eq 4) -> 5
    5: <transient> | }
      skip -> 0
    6: | x = 5;
      x = 5 -> 7
    7: out | x = 6;
      x = 6 -> 8
    8: <exit> | }
    ");
}

#[test]
fn entering_an_atomic_block_by_a_jump_is_a_step() {
    let text = r"
shared x: int;
thread P {
  x = 1;
  goto inside;
  atomic { x = 2; inside: x = 3; }
  atomic { goto inside; }
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | x = 1;
      x = 1 -> 1
    1: | goto inside;
      skip -> 2
    2: inside <transient> | x = 3;
      x = 3 -> 3
    3: <transient> | }
      skip -> 4
    4: | atomic
      skip -> 5
    5: | inside
      skip -> 2
    6: <exit> | }
    ");
}
