//! Declarations, lifetimes of locals, locks and procedures in control-flow graphs.

use crate::show::graph;
use insta::assert_snapshot;

#[test]
fn unobservable_declarations_are_transient() {
    let text = r"
shared x: int;
thread P {
  var a: int;
  var b, c: 2..5 = a + 3;
  var d: bool = *;
  x = 1;
  var e: int = x;
  seen: var f: int;
  x = 2;
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> <transient> | var a: int;
      a#0 = 0 -> 1
    1: <transient> | var b, c: 2..5 = a + 3;
      b#1 = (a#0 Add 3); c#2 = (a#0 Add 3) -> 2
    2: <transient> | var d: bool = *;
      d#3 = * -> 3
    3: | x = 1;
      x = 1 -> 4
    4: | var e: int = x;
      e#4 = x -> 5
    5: seen | var f: int;
      f#5 = 0 -> 6
    6: | x = 2;
      x = 2 -> 7
    7: <exit> | }
    ");
}

#[test]
fn declarations_in_a_loop_do_not_hide_for_ever() {
    let text = r"
thread P { loop { var a: int; { var b: int = 1; } } }
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> -a -b | var a: int;
      a#0 = 0 -> 1
    1: <transient> -b | var b: int = 1;
      b#1 = 1 -> 0
    2: <exit> -a -b | }
    ");
}

#[test]
fn a_loop_with_an_invariant_starts_visibly() {
    let text = r"
shared x: int;
thread P { loop invariant x >= 0 { var a: int; x = a; } }
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> -a invariant (x Ge 0) | var a: int;
      a#0 = 0 -> 1
    1: | x = a;
      x = a#0 -> 0
    2: <exit> -a | }
    ");
}

#[test]
fn locals_die_with_their_block() {
    let text = r"
shared x: int;
thread P {
  var a: int;
  {
    var b: int = 1;
    x = b;
    if (x == 1) { var c: int = 2; x = c; }
    x = b + 1;
  }
  while (a < 2) { var d: int; a = d; }
  x = 3;
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> <transient> -b -c -d | var a: int;
      a#0 = 0 -> 1
    1: <transient> -b -c -d | var b: int = 1;
      b#1 = 1 -> 2
    2: -c -d | x = b;
      x = b#1 -> 3
    3: -c -d | if (x == 1)
      [true] when (x Eq 1) -> 4
      [false] when !(x Eq 1) -> 6
    4: <transient> -d | var c: int = 2;
      c#2 = 2 -> 5
    5: -d | x = c;
      x = c#2 -> 6
    6: -c -d | x = b + 1;
      x = (b#1 Add 1) -> 7
    7: -b -c -d | while (a < 2)
      [true] when (a#0 Lt 2) -> 8
      [false] when !(a#0 Lt 2) -> 10
    8: <transient> -b -c | var d: int;
      d#3 = 0 -> 9
    9: -b -c | a = d;
      a#0 = d#3 -> 7
    10: -b -c -d | x = 3;
      x = 3 -> 11
    11: <exit> -b -c -d | }
    ");
}

#[test]
fn copies_of_a_declaration_share_a_local() {
    let text = r"
shared x: int;
thread P { for k in 1..3 { var a: int = k; var r: 0..k; x = a + r; } }
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> <transient> -a -r -r -r | var a: int = k;
      a#0 = 1 -> 3
    1: <transient> -a -r -r -r | var a: int = k;
      a#0 = 2 -> 4
    2: <transient> -a -r -r -r | var a: int = k;
      a#0 = 3 -> 5
    3: <transient> -r -r | var r: 0..k;
      r#1 = 0 -> 6
    4: <transient> -r -r | var r: 0..k;
      r#2 = 0 -> 7
    5: <transient> -r -r | var r: 0..k;
      r#3 = 0 -> 8
    6: -r -r | x = a + r;
      x = (a#0 Add r#1) -> 1
    7: -r -r | x = a + r;
      x = (a#0 Add r#2) -> 2
    8: -r -r | x = a + r;
      x = (a#0 Add r#3) -> 9
    9: <exit> -a -r -r -r | }
    ");
}

#[test]
fn shadowing_makes_different_locals() {
    let text = r"
shared x: int;
thread P { var x: int = 1; { var x: int = x + 1; x = 3; } x = 4; }
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> <transient> -x | var x: int = 1;
      x#0 = 1 -> 1
    1: <transient> -x | var x: int = x + 1;
      x#1 = (x#0 Add 1) -> 2
    2: | x = 3;
      x#1 = 3 -> 3
    3: -x | x = 4;
      x#0 = 4 -> 4
    4: <exit> -x | }
    ");
}

#[test]
fn arrays_start_with_their_defaults() {
    let text = r"
shared x: int;
thread P { again: var a: [tid]int; a[self] = 1; goto again; }
";
    assert_snapshot!(graph(text, "P"), @r"
    0: again <entry> -a | var a: [tid]int;
      skip -> 1
    1: | a[self] = 1;
      a#0[self] = 1 -> 0
    2: <exit> | }
    ");
}

#[test]
fn locks() {
    let text = r"
shared l: lock;
shared m: mutex;
shared k: [0..1]mutex;
thread P { acquire(l); release(l); acquire(m); release(m); acquire(k[1]); release(k[1]); assert !l && m == P; }
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | acquire(l);
      when !l; l = true -> 1
    1: | release(l);
      l = false -> 2
    2: | acquire(m);
      when (m Eq none); m = self -> 3
    3: | release(m);
      release (m Eq self); m = none -> 4
    4: | acquire(k[1]);
      when (k[1] Eq none); k[1] = self -> 5
    5: | release(k[1]);
      release (k[1] Eq self); k[1] = none -> 6
    6: | assert !l && m == P;
      assert (!l And (m Eq P)) -> 7
    7: <exit> | }
    ");
}

#[test]
fn reader_writer_locks() {
    let text = r"
shared l: rwlock;
shared a: [tid]rwlock;
thread P {
  acquire_read(l);
  release_read(l);
  acquire_write(l);
  release_write(l);
  acquire_write(a[self]);
  release_read(a[self]);
  assert a[self].w == self && a[none].r == {};
}
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | acquire_read(l);
      when (l.w Eq none); l.r = (l.r Union {self}:set<tid>) -> 1
    1: | release_read(l);
      release (self In l.r); l.r = (l.r Minus {self}:set<tid>) -> 2
    2: | acquire_write(l);
      when ((l.w Eq none) And (l.r Eq {}:set<tid>)); l.w = self -> 3
    3: | release_write(l);
      release (l.w Eq self); l.w = none -> 4
    4: | acquire_write(a[self]);
      when ((a.w[self] Eq none) And (a.r[self] Eq {}:set<tid>)); a.w[self] = self -> 5
    5: | release_read(a[self]);
      release (self In a.r[self]); a.r[self] = (a.r[self] Minus {self}:set<tid>) -> 6
    6: | assert a[self].w == self && a[…
      assert ((a.w[self] Eq self) And (a.r[none] Eq {}:set<tid>)) -> 7
    7: <exit> | }
    ");
}

#[test]
fn procedures_end_with_a_return() {
    let text = r"
proc sum(n: 0..3) returns (r: 0..6) {
  if (n == 0) { return 0; }
  var rest: 0..6;
  rest = sum(n - 1);
  r = rest + n;
}
thread P { var s: int; s = sum(3); }
";
    assert_snapshot!(graph(text, "sum"), @r"
    0: <entry> | if (n == 0)
      [true] when (n#0 Eq 0) -> 1
      [false] when !(n#0 Eq 0) -> 2
    1: | return 0;
      return 0 -> 6
    2: <transient> | var rest: 0..6;
      rest#2 = 0 -> 3
    3: | rest = sum(n - 1);
      rest#2 = call sum((n#0 Sub 1)) -> 4
    4: | r = rest + n;
      r#1 = (rest#2 Add n#0) -> 5
    5: | }
      return -> 6
    6: <exit> | }
    ");
}

#[test]
fn a_declaration_behind_a_call_is_part_of_the_return() {
    let text = r"
proc p() { skip; }
thread P { p(); var a: int; skip; }
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | p();
      call p() -> 1
    1: <transient> | var a: int;
      a#0 = 0 -> 2
    2: | skip;
      skip -> 3
    3: <exit> | }
    ");
}

#[test]
fn calls_in_atomic_blocks_may_return_outside() {
    let text = r"
proc p() { skip; }
thread P { loop { atomic { p(); break; } } }
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | atomic
      skip -> 1
    1: <transient> | p();
      call p() -> 2
    2: <exit> | }
    ");
}

#[test]
fn threads_return_to_their_exit() {
    let text = r"
shared x: int;
thread P { if (x == 1) { return; } x = 2; return; x = 3; }
";
    assert_snapshot!(graph(text, "P"), @r"
    0: <entry> | if (x == 1)
      [true] when (x Eq 1) -> 2
      [false] when !(x Eq 1) -> 1
    1: | x = 2;
      x = 2 -> 2
    2: <exit> | }
    ");
}

#[test]
fn unreachable_code_stays_if_it_has_a_label() {
    let text = r"
shared x: int;
thread P { return; x = 1; L: x = 2; }
";
    assert_snapshot!(graph(text, "P"), @r"
    0: L | x = 2;
      x = 2 -> 1
    1: <entry> <exit> | }
    ");
}
