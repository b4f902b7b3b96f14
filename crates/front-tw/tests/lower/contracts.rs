//! Contracts and abstract threads.

use crate::show::{Show, program};
use insta::assert_snapshot;
use threadwise_ir::{Contract, Domain, Program};

fn contracts(program: &Program, contracts: &[Contract]) -> String {
    let show = Show { program, routine: &program.routines[0] };
    let line = |c: &Contract| {
        let subject = match &c.subject {
            Domain::Sort(_) => "every thread".to_string(),
            Domain::Copies(id) => program.template(*id).name.to_string(),
        };
        format!("{} in {subject}: {}", c.binder, show.expr(&c.formula))
    };
    contracts.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_subject_is_the_first_bound_variable() {
    let text = r"
shared m: mutex;
shared a: [tid]int;
thread P { skip; }
thread W[2] { skip; }
rely forall i: tid :: m == i ==> m' == i && (forall j: W :: j != i ==> a'[j] == a[j]);
rely P :: exists k: 0..1 :: a'[P] == k;
guarantee forall w: W :: a'[w] >= a[w];
";
    let program = program(text);
    assert_snapshot!(contracts(&program, &program.relies), @r"
    i in every thread: ((m Eq $0) Implies ((m' Eq $0) And Forall(W :: (($1 Ne $0) Implies (a'[$1] Eq a[$1])))))
    P in P: Exists(0..1 :: (a'[P] Eq $1))
    ");
    assert_snapshot!(contracts(&program, &program.guarantees), @"w in W: (a'[$0] Ge a[$0])");
}

#[test]
fn abstract_threads() {
    let text = r"
shared g, h: int;
shared l: rwlock;
thread W[2] { skip; }
abstract W {
  init X1, X2;
  idle;
  X1: assert g > 0;
  X2:;
  X1 -> X2 [g, l] g' > 0 && l.w' == self;
  X2 -> X1;
  X2 -> X2 [] h == 1;
}
";
    let program = program(text);
    let show = Show { program: &program, routine: &program.routines[0] };
    let thread = &program.abstract_threads[0];
    assert_eq!((thread.init.as_slice(), thread.idle), (&[0, 1][..], true));
    let edges = thread.edges.iter().map(|edge| {
        let frame: Vec<&str> = edge.frame.iter().map(|id| &*program.shared[id.index()].name).collect();
        let formula = edge.formula.as_ref().map_or("true".to_string(), |e| show.expr(e));
        format!("{} -> {} [{}] {formula}", edge.from, edge.to, frame.join(" "))
    });
    assert_snapshot!(edges.collect::<Vec<_>>().join("\n"), @r"
    0 -> 1 [g l.w l.r] ((g' Gt 0) And (l.w' Eq self))
    1 -> 0 [g h l.w l.r] true
    1 -> 1 [] (h Eq 1)
    ");
}
