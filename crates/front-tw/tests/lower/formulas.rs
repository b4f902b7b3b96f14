//! Formulas: bound variables, set literals, points and locals of threads, constants.

use crate::show::{Show, errors, errors_with, program, properties};
use insta::assert_snapshot;
use threadwise_ir::{Copies, Initial, Sort};
use threadwise_print::listing;

#[test]
fn binders_nest_and_count_from_the_outside() {
    let text = r"
type Phase = enum { idle, busy };
shared a: [tid]Phase;
thread W[3] { skip; }
invariant forall i: W, p: Phase :: a[i] == p || (exists j: 0..1 :: j == 0 && a[i] != p);
invariant count(i: W, b: bool :: b ==> a[i] == busy) <= 6;
";
    assert_snapshot!(properties(text), @r"
    invariant _: Forall(W :: Forall(Phase :: ((a[$0] Eq $1) Or Exists(0..1 :: (($2 Eq 0) And (a[$0] Ne $1))))))
    invariant _: (Count(W :: Count(bool :: ($1 Implies (a[$0] Eq busy)))) Le 6)
    ");
}

#[test]
fn set_literals_take_their_type_from_what_is_around_them() {
    let text = r"
shared s: set<1..3>;
shared x: int;
shared k: 0..5;
shared t: set<tid>;
thread P { skip; }
invariant s == {1, 2} union {} && {} != s;
invariant x in {1, 5} && k in {x, 2};
invariant k in {k} union {} && P in {none, P};
invariant t subset {P} && (x == 0 ? {} : t) == {};
invariant size({k, 7}) == 1;
";
    assert_snapshot!(properties(text), @r"
    invariant _: ((s Eq ({1, 2}:set<1..3> Union {}:set<1..3>)) And ({}:set<1..3> Ne s))
    invariant _: ((x In {1, 5}:set<1..5>) And (k In {x, 2}:set<0..5>))
    invariant _: ((k In ({k}:set<0..5> Union {}:set<0..5>)) And (P In {none, P}:set<tid>))
    invariant _: ((t Subset {P}:set<tid>) And (((x Eq 0) ? {}:set<tid> : t) Eq {}:set<tid>))
    invariant _: (Size({k, 7}:set<0..7>) Eq 1)
    ");
}

#[test]
fn points_and_locals_of_threads() {
    let text = r"
proc enter() { here: skip; there: skip; }
proc unused() { here: skip; }
thread P { here: skip; enter(); var v: 0..3; v = 2; }
thread W[2] { var v: bool; skip; here: skip; here: skip; }
never P@here && P@there;
invariant forall i: W, j: W :: i@here && j.v ==> i == j || P.v > 0;
";
    assert_snapshot!(properties(text), @r"
    never (P@{0 0} And P@{1})
    invariant _: Forall(W :: Forall(W :: (($0@{2 3} And $1.v) Implies (($0 Eq $1) Or (P.v Gt 0)))))
    ");
}

#[test]
fn exceptions_are_kept_beside_the_properties() {
    let text = r"
shared g: 0..1;
thread P { here: skip; }
thread W[2] { var v: bool; here: skip; }
exceptions g == 1 && P@here;
exceptions exists i: W :: i.v && ord(i) == 2;
never P@here;
";
    let program = program(text);
    let show = Show { program: &program, routine: &program.routines[0] };
    let exceptions: Vec<String> = program.exceptions.iter().map(|e| show.expr(e)).collect();
    assert_snapshot!(exceptions.join("\n"), @r"
    ((g Eq 1) And P@{0})
    Exists(W :: ($0.v And (Ord($0) Eq 2)))
    ");
    assert_snapshot!(properties(text), @"never P@{0}");
    assert!(!program.uses_ord(), "an annotation does not break the symmetry of the program");
    let printed = "\n\nexceptions g == 1 && P@here;\nexceptions exists i: W :: i.v && ord(i) == 2;\n";
    assert!(listing(&program).contains(printed), "{}", listing(&program));
}

#[test]
fn rwlocks_are_two_variables() {
    let text = r"
shared l: rwlock;
shared a: [0..2]rwlock;
shared x: int;
thread P { skip; }
norace l, x;
invariant l.w == none || size(l.r) == 0;
invariant forall i: 0..2 :: P in a[i].r ==> a[i].w == none;
";
    assert_snapshot!(properties(text), @r"
    norace l: l.w l.r
    norace x: x
    invariant _: ((l.w Eq none) Or (Size(l.r) Eq 0))
    invariant _: Forall(0..2 :: ((P In a.r[$0]) Implies (a.w[$0] Eq none)))
    ");
    let shared: Vec<String> = program(text).shared.iter().map(|v| format!("{}: {:?}", v.name, v.sort)).collect();
    assert_snapshot!(shared.join("\n"), @r"
    l.w: Tid
    l.r: Set(Tid)
    a.w: Array(Range(0, 2), Tid)
    a.r: Array(Range(0, 2), Set(Tid))
    x: Int
    ");
}

#[test]
fn constants_are_evaluated_in_any_order() {
    let text = r"
const A = B * 2 - 1;
const B = C > 2 ? C : 0 - C;
const C = 7 / -2;
shared x: A..B * B = A + 1;
thread W[B] { skip; }
";
    let program = program(text);
    assert_eq!(program.shared[0].sort, Sort::Range(7, 16));
    assert_eq!(program.templates[0].copies, Copies::Exactly(4));
    assert!(matches!(&program.shared[0].init, Initial::Value(e) if e.sort == Sort::Int));
}

#[test]
fn constants_can_be_set_from_outside() {
    let text = "const N = 1 / 0;\nthread W[N] { skip; }\n";
    assert_eq!(errors_with(text, &[("N", 5)]), "");
    assert_snapshot!(errors_with("const Size = 1;\nthread W[Size] { skip; }\n", &[("Siz", 5)]), @r"
    error: `-D Siz=5`: the program declares no constant `Siz`
     --> t.tw:1:1
      |
    1 | const Size = 1;
      | ^
      |
      = help: did you mean `Size`?
    ");
}

#[test]
fn long_chains_of_constants_are_fine() {
    let mut text: String = (0..20_000).map(|i| format!("const c{i} = c{} + 1;\n", i + 1)).collect();
    text.push_str("const c20000 = 0;\nshared x: 0..c0;\nthread P { skip; }\n");
    assert_eq!(program(&text).shared[0].sort, Sort::Range(0, 20_000));
}

#[test]
fn initial_values() {
    let text = r"
shared a: int = 3;
shared b: int = a + 1;
shared c: bool = *;
shared d: tid = P;
thread P { skip; }
init a < b && c;
";
    let program = program(text);
    assert!(matches!(program.shared[1].init, Initial::Value(_)));
    assert!(matches!(program.shared[2].init, Initial::Any));
    assert_eq!(program.init.len(), 1);
    assert_eq!(errors(text), "");
}
