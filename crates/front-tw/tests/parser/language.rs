//! Every construct of the language, in its canonical form: printing what was parsed gives the
//! text back.

use crate::common::{assert_round_trip, parse_clean};
use threadwise_front_tw::ast::{ExprKind, ItemKind, Rhs, StmtKind};
use threadwise_front_tw::printer;
use threadwise_source::SourceFile;

/// Parses a program whose layout is the printer's.
fn assert_canonical(source: &str) {
    let file = SourceFile::new("test.tw", source);
    assert_eq!(printer::print(&parse_clean(&file)), source);
    assert_round_trip(&file);
}

/// Parses a program and compares its canonical form.
fn assert_prints(source: &str, canonical: &str) {
    assert_eq!(printer::print(&parse_clean(&SourceFile::new("test.tw", source))), canonical);
    assert_canonical(canonical);
}

#[test]
fn declarations() {
    assert_canonical(
        "\
const N = 4;
type Phase = enum { idle, trying, busy };
shared a, b: bool;
shared c: int = N + 1;
shared d: 0..N - 1 = *;
shared e: [0..3]set<tid>;
shared f: [Phase][tid]mutex;
shared g: lock;
shared h: rwlock;
shared lock, set, count: Phase = idle;
init a != b;
proc p() {
}
proc q(x: int, y: [tid]bool) returns (r: set<0..3>) {
  return {x};
}
thread P {
}
thread W[N + 1] {
}
thread V[*] {
}
invariant clean: g.w == none ==> c == 1;
invariant c >= 0;
never P@critical && (exists i: W :: i@critical && i.x > 0);
exceptions a && P@critical;
exceptions forall i: W :: !i@critical;
norace a, b[*], c[*][*];
",
    );
}

#[test]
fn simple_statements() {
    assert_canonical(
        "\
thread P {
  skip;
  var x, y: int;
  var z: bool = true;
  var t: tid = *;
  x = 1;
  a[i] = x;
  x, y = y, *;
  x = *;
  assert x > 0;
  await !busy;
  acquire(m);
  release(m);
  acquire_read(l);
  acquire_write(l);
  release_read(l);
  release_write(l);
  action [x, l.w, a[i]] x' > x && a'[i] == l.w' assert x > 0;
  action [] true;
  goto end;
  p();
  p(1, {x, y});
  x = p(y);
  a[i] = q();
  x = size(s);
  x = ord(self);
  x = count(i: tid :: b[i]);
  return;
  return x + 1;
  end:
}
",
    );
}

#[test]
fn compound_statements() {
    assert_canonical(
        "\
thread P {
  {
    skip;
  }
  atomic {
    x = 1;
  }
  if (x > 0) {
    skip;
  } else if (*) {
    skip;
  } else {
    skip;
  }
  a: b: while (x > 0)
    invariant x >= 0
    invariant y == {}
  {
    break;
  }
  loop {
    continue;
  }
  while (*) {
  }
  choose {
    skip;
  } or {
  } or {
    skip;
  }
  for k in 0..N - 1 {
    a[k] = k;
  }
}
",
    );
}

#[test]
fn contracts_and_abstract_threads() {
    assert_canonical(
        "\
rely forall i: tid :: m == i ==> x' == x;
rely forall i: W :: forall j: tid :: x' >= x;
guarantee P :: x' >= x;
abstract Worker {
  init X1, X2;
  idle;
  X1: assert g > 0;
  X2:;
  X1 -> X2 [g, l.w] g' > 0;
  X2 -> X1 [];
  X2 -> X2 g' == g;
  X1 -> X1;
}
",
    );
}

#[test]
fn several_binders_of_a_contract_become_a_quantifier() {
    assert_prints("rely forall i: tid, j: W :: x' >= x;", "rely forall i: tid :: forall j: W :: x' >= x;\n");
}

#[test]
fn free_layout() {
    assert_prints("\u{feff}const N=1;\r\nthread P{L:}// é\r\n/* ∀ */", "const N = 1;\nthread P {\n  L:\n}\n");
    assert_prints("shared s: set<tid>= {};", "shared s: set<tid> = {};\n");
    assert_prints("abstract W { X1: ; X1->X1[x]\n x' > 0; }", "abstract W {\n  X1:;\n  X1 -> X1 [x] x' > 0;\n}\n");
    assert_prints(
        "thread P { loop invariant name: x; invariant y { } }",
        "thread P {\n  loop\n    invariant x\n    invariant y\n  {\n  }\n}\n",
    );
    assert_prints("thread P { assume x; }", "thread P {\n  await x;\n}\n");
    assert_prints("type T = enum { a, b, };", "type T = enum { a, b };\n");
}

#[test]
fn an_empty_file_is_an_empty_module() {
    for source in ["", "\u{feff}", " \n", "// nothing", "/**/"] {
        assert!(parse_clean(&SourceFile::new("test.tw", source)).items.is_empty());
    }
}

#[test]
fn stars_and_calls_are_told_apart() {
    let source = "thread P { x = *; x = p(1); x = size(s); y, z = *, 1 * 2; }";
    let module = parse_clean(&SourceFile::new("test.tw", source));
    let ItemKind::Thread(thread) = &module.items[0].kind else { panic!("no thread") };
    let kinds: Vec<&StmtKind> = thread.body.stmts.iter().map(|stmt| &stmt.kind).collect();
    assert!(matches!(kinds[0], StmtKind::Assign(_, values) if matches!(values[..], [Rhs::Any(_)])));
    assert!(matches!(kinds[1], StmtKind::Call { result: Some(_), .. }));
    let StmtKind::Assign(_, values) = kinds[2] else { panic!("not an assignment") };
    assert!(matches!(&values[..], [Rhs::Expr(e)] if matches!(e.kind, ExprKind::Size(_))));
    assert!(matches!(kinds[3], StmtKind::Assign(_, values) if matches!(values[..], [Rhs::Any(_), Rhs::Expr(_)])));
}

#[test]
fn exceptions_is_a_keyword_only_where_a_declaration_starts() {
    assert_canonical(
        "\
shared exceptions: int;
proc exceptions_of(exceptions: int) {
  skip;
}
thread P {
  exceptions = exceptions + 1;
  exceptions, x = 1, exceptions;
  exceptions(exceptions);
  exceptions: skip;
  goto exceptions;
}
exceptions exceptions > 0 && P@exceptions;
exceptions -exceptions == 1;
",
    );
    assert_prints("exceptions(x);", "exceptions x;\n");
}
