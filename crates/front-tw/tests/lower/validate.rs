//! `Program::validate` sees what front ends must not do: right programs, each damaged in one way.

use crate::show::program;
use std::sync::Arc;
use threadwise_ir::{
    BinaryOp, Domain, Edge, EnumId, Expr, ExprKind, Initial, LocalId, LocationId, Op, Place, Program, Property,
    Quantifier, Region, RoutineId, SharedId, Sort, TemplateId, UnaryOp, Update, Value, VarRef, Violated,
};
use threadwise_source::Span;
use threadwise_validate::validate;

const TEXT: &str = "
type Color = enum { red, green };
shared x: int;
shared y: 0..3 = 1;
shared b: bool;
shared c: Color;
shared s: set<0..3>;
shared a: [0..3]int;
shared o: tid;
proc twice(n: int) returns (r: int) { r = n + n; return r; }
thread P {
    var t: 0..3;
    start: x = x + 1;
    while (x < 3) invariant x >= 0 { a[t] = x; }
    assert b ==> x > 0;
    x = twice(x);
    action [x] x' > x;
    o = self;
}
thread W[2] { var t: int; await b; t = x; done: skip; }
init x == 0;
invariant forall i: W :: i@done ==> i.t >= 0;
never count(i: W :: i@done) > 2 && y in s;
norace y;
rely P :: x' >= x;
guarantee forall i: W :: a'[0] == a[0] || o == i;
abstract W { init N; idle; N: assert x >= 0; N -> N [x] x' > x; }
exceptions P@start;
";

/// Damages the program and expects to be told so.
#[track_caller]
fn damaged(expected: &str, damage: impl FnOnce(&mut Program)) {
    let mut damaged = program(TEXT);
    assert_eq!(validate(&damaged), Vec::<String>::new(), "it is right as it is written");
    damage(&mut damaged);
    let wrong = validate(&damaged);
    assert!(wrong.iter().any(|text| text.contains(expected)), "`{expected}` is not among {wrong:#?}");
}

fn edges(program: &mut Program) -> &mut Vec<Edge> {
    Arc::make_mut(&mut program.edges)
}

/// The first edge whose operation is as wanted.
fn edge_with(program: &mut Program, is_wanted: impl Fn(&Op) -> bool) -> &mut Edge {
    edges(program).iter_mut().find(|edge| is_wanted(&edge.op)).expect("there is one")
}

fn first_assignment(program: &mut Program) -> &mut (Place, Value) {
    let edges = edges(program).iter_mut();
    let assignments = edges.filter_map(|edge| match &mut edge.op {
        Op::Command(command) => match &mut command.update {
            Update::Assign(assignments) => assignments.first_mut(),
            Update::Action { .. } => None,
        },
        Op::Call { .. } | Op::Return(_) => None,
    });
    assignments.into_iter().find(|(place, _)| place.var == VarRef::Shared(SharedId(0))).expect("x = x + 1")
}

fn made(kind: ExprKind, sort: Sort) -> Expr {
    Expr::new(kind, sort, Span::default())
}

fn int(value: i64) -> Expr {
    made(ExprKind::Const(value), Sort::Int)
}

fn truth() -> Expr {
    Expr::bool(true, Span::default())
}

/// Puts an expression where `x + 1` is assigned.
#[track_caller]
fn damaged_value(expected: &str, value: Expr) {
    damaged(expected, |p| first_assignment(p).1 = Value::Of(value));
}

#[test]
fn variables_and_sorts() {
    damaged("of sort Range(3, 2), which does not exist", |p| p.shared[1].sort = Sort::Range(3, 2));
    damaged("of sort Enum(EnumId(9)), which does not exist", |p| p.shared[3].sort = Sort::Enum(EnumId(9)));
    damaged("which does not exist", |p| p.shared[4].sort = Sort::set(Sort::Int));
    damaged("which does not exist", |p| p.shared[5].sort = Sort::array(Sort::set(Sort::Bool), Sort::Int));
    damaged("the initial value of y is of sort Bool", |p| p.shared[1].init = Initial::Value(truth()));
    damaged("reads what has no value yet", |p| {
        let read = made(ExprKind::Read(VarRef::Shared(SharedId(1))), Sort::Range(0, 3));
        p.shared[1].init = Initial::Value(read);
    });
    damaged("an initial condition is of sort Int", |p| p.init[0] = int(1));
}

#[test]
fn threads_and_routines() {
    damaged("thread P has no body", |p| p.templates[0].body = RoutineId(9));
    damaged("thread W has the body of another", |p| p.templates[1].body = p.templates[0].body);
    damaged("more parameters than locals", |p| p.routines[0].params = 9);
    damaged("is no local", |p| p.routines[0].result = Some(LocalId(9)));
    damaged("starts or ends outside", |p| p.routines[0].entry = LocationId(999));
    damaged("starts or ends outside", |p| p.routines[0].exit = p.routines[1].exit);
    damaged("that are not there", |p| p.routines[2].edges.end = 999);
    damaged("goes on behind its end", |p| {
        let exit = p.routines[0].exit;
        p.locations[exit.index()].transient = true;
    });
    damaged("goes on behind its end", |p| p.routines[0].exit = p.routines[0].entry);
    damaged("not among the locations of its routine", |p| {
        p.routines[0].locations.start += 1;
        p.routines[0].entry = LocationId(p.routines[0].locations.start);
    });
    damaged("or is not among its edges", |p| p.routines[0].edges.start += 1);
}

#[test]
fn locations_and_edges() {
    damaged("is in no routine", |p| p.locations[0].routine = RoutineId(9));
    damaged("lists an edge that is not there", |p| p.locations[0].edges[0].0 = 999);
    damaged("lists an edge that leaves another", |p| {
        let other = p.locations[1].edges[0];
        p.locations[0].edges.push(other);
    });
    damaged("lists it 0 times", |p| p.locations[0].edges.clear());
    damaged("lists it 2 times", |p| {
        let edge = p.locations[0].edges[0];
        p.locations[0].edges.push(edge);
    });
    damaged("starts or ends nowhere", |p| edges(p)[0].to = LocationId(999));
    damaged("leaves its routine", |p| edges(p)[0].to = p.edges.last().expect("an edge").to);
    damaged("no sorted list of locals", |p| p.locations[0].dead = [LocalId(9)].into());
    damaged("no sorted list of locals", |p| p.locations[0].dead = [LocalId(0), LocalId(0)].into());
    damaged("a loop invariant", |p| p.locations[0].invariants = [int(1)].into());
}

#[test]
fn commands() {
    let is_command = |op: &Op| matches!(op, Op::Command(_));
    damaged("the guard of", |p| {
        let Op::Command(command) = &mut edge_with(p, is_command).op else { unreachable!() };
        command.guard = Some(Box::new(int(1)));
    });
    damaged("an assertion of", |p| {
        let has_assertion = |op: &Op| matches!(op, Op::Command(command) if !command.assertions.is_empty());
        let Op::Command(command) = &mut edge_with(p, has_assertion).op else { unreachable!() };
        command.assertions[0].condition = int(1);
    });
    damaged_value("a value that", truth());
    damaged("which is not of sort", |p| first_assignment(p).0.sort = Sort::Bool.into());
    damaged("which is not of sort", |p| first_assignment(p).0.var = VarRef::Local(LocalId(9)));
    damaged("which is not of sort", |p| first_assignment(p).0.indices = [int(0)].into());
    damaged("assigns one variable twice", |p| {
        let Op::Command(command) = &mut edge_with(p, is_command).op else { unreachable!() };
        let Update::Assign(assignments) = &mut command.update else { unreachable!() };
        let twice = [assignments[0].clone(), assignments[0].clone()];
        *assignments = twice.into();
    });
    let is_action = |op: &Op| matches!(op, Op::Command(c) if matches!(c.update, Update::Action { .. }));
    damaged("changes a variable that is not there", |p| {
        let Op::Command(command) = &mut edge_with(p, is_action).op else { unreachable!() };
        let Update::Action { frame, .. } = &mut command.update else { unreachable!() };
        frame[0] = VarRef::Shared(SharedId(99));
    });
    damaged("the assertion of", |p| {
        let Op::Command(command) = &mut edge_with(p, is_action).op else { unreachable!() };
        let Update::Action { assertion, .. } = &mut command.update else { unreachable!() };
        *assertion = Some(Box::new(int(1)));
    });
}

#[test]
fn calls_and_returns() {
    fn call(p: &mut Program) -> (&mut RoutineId, &mut Box<[Expr]>, &mut Option<Box<Place>>) {
        let Op::Call { routine, args, result } = &mut edge_with(p, |op| matches!(op, Op::Call { .. })).op else {
            unreachable!("it is a call")
        };
        (routine, args, result)
    }
    damaged("calls a routine that is not there", |p| *call(p).0 = RoutineId(9));
    damaged("gives 0 arguments", |p| *call(p).1 = Box::default());
    damaged("an argument of", |p| call(p).1[0] = truth());
    damaged("does not give", |p| {
        let procedure = *call(p).0;
        p.routines[procedure.index()].result = None;
    });
    damaged("returns a value from a routine without a result", |p| {
        let procedure = *call(p).0;
        p.routines[procedure.index()].result = None;
    });
    damaged("calls a thread", |p| *call(p).0 = p.templates[1].body);
    damaged("returns from a thread", |p| edges(p).last_mut().expect("the last of `W`").op = Op::Return(None));
    damaged("the value that", |p| {
        let op = &mut edge_with(p, |op| matches!(op, Op::Return(Some(_)))).op;
        *op = Op::Return(Some(Box::new(truth())));
    });
}

#[test]
fn parts_whose_sorts_do_not_agree() {
    let disagree = "whose sorts do not agree";
    let boxed = |e: Expr| Box::new(e);
    for (kind, sort) in [
        (ExprKind::Const(4), Sort::Range(0, 3)),
        (ExprKind::Unary(UnaryOp::Neg, boxed(truth())), Sort::Int),
        (ExprKind::Unary(UnaryOp::Size, boxed(int(1))), Sort::Int),
        (ExprKind::Unary(UnaryOp::Ord, boxed(int(1))), Sort::Int),
        (ExprKind::Binary(BinaryOp::Add, boxed(int(1)), boxed(truth())), Sort::Int),
        (ExprKind::Binary(BinaryOp::Add, boxed(int(1)), boxed(int(1))), Sort::Range(0, 3)),
        (ExprKind::Conditional(Box::new([int(1), int(2), int(3)])), Sort::Int),
        (ExprKind::Index(boxed(int(1)), boxed(int(1))), Sort::Int),
        (ExprKind::SetLiteral([int(1)].into()), Sort::Int),
    ] {
        damaged_value(disagree, made(kind, sort));
    }
    for (kind, sort) in
        [(ExprKind::Const(2), Sort::Bool), (ExprKind::Const(1), Sort::Tid), (ExprKind::Const(7), Sort::Enum(EnumId(0)))]
    {
        damaged(disagree, |p| {
            p.init[0] = Expr::binary(BinaryOp::Eq, made(kind.clone(), sort.clone()), made(kind, sort), Sort::Bool);
        });
    }
    for op in [BinaryOp::And, BinaryOp::Lt, BinaryOp::In, BinaryOp::Subset, BinaryOp::Eq] {
        damaged(disagree, |p| p.init[0] = Expr::binary(op, int(1), made(ExprKind::Const(0), Sort::Tid), Sort::Bool));
    }
}

#[test]
fn what_may_not_be_mentioned() {
    let unmentionable = "mentions what it may not";
    let x = VarRef::Shared(SharedId(0));
    damaged_value(unmentionable, made(ExprKind::ReadAfter(x), Sort::Int));
    damaged_value(unmentionable, made(ExprKind::Read(VarRef::Shared(SharedId(99))), Sort::Int));
    damaged_value(unmentionable, made(ExprKind::Read(x), Sort::Range(0, 3)));
    damaged_value(unmentionable, made(ExprKind::Bound(0), Sort::Int));
    damaged(unmentionable, |p| p.init[0] = made(ExprKind::Read(VarRef::Local(LocalId(0))), Sort::Bool));
    // `W` has copies, so it does not name a thread.
    for thread in [ExprKind::SelfThread, ExprKind::Thread(TemplateId(1))] {
        let thread = made(thread, Sort::Tid);
        damaged(unmentionable, |p| p.init[0] = Expr::binary(BinaryOp::Eq, thread.clone(), thread, Sort::Bool));
    }
    // `t@L` and `t.x` of the first property, where no property is.
    damaged(unmentionable, |p| {
        p.init[0] = p.properties[0].formula().expect("an invariant").0.clone();
    });
}

#[test]
fn points_and_locals_of_threads() {
    fn change(p: &mut Program, mut change: impl FnMut(&mut ExprKind)) {
        let Violated::When(e, _) = &mut p.properties[0].violated else { unreachable!() };
        let ExprKind::Quantified(_, _, body) = &mut e.kind else { unreachable!() };
        let ExprKind::Binary(_, at, comparison) = &mut body.kind else { unreachable!() };
        let ExprKind::Binary(_, local, _) = &mut comparison.kind else { unreachable!() };
        change(&mut at.kind);
        change(&mut local.kind);
    }
    let nowhere = LocationId(9_999);
    damaged("mentions what it may not", |p| {
        change(p, |kind| {
            if let ExprKind::At(_, locations) = kind {
                **locations = vec![nowhere];
            }
        });
    });
    damaged("mentions what it may not", |p| {
        change(p, |kind| {
            if let ExprKind::LocalOf(_, local) = kind {
                *local = LocalId(9);
            }
        });
    });
    damaged("mentions what it may not", |p| {
        change(p, |kind| {
            if let ExprKind::At(thread, _) | ExprKind::LocalOf(thread, _) = kind {
                thread.template = TemplateId(9);
            }
        });
    });
    damaged("mentions what it may not", |p| {
        change(p, |kind| {
            if let ExprKind::At(thread, _) = kind {
                thread.thread = made(ExprKind::Bound(1), Sort::Tid);
            }
        });
    });
}

#[test]
fn properties_contracts_and_abstract_threads() {
    damaged("a property is of sort Int", |p| p.properties[0] = Property::never(None, int(1), Span::default()));
    damaged("of no shared variable", |p| {
        p.properties[2] =
            Property::norace("y".into(), Region { vars: vec![SharedId(99)], depth: 0, plain: false }, Span::default());
    });
    damaged("of elements that are not there", |p| {
        p.properties[2] =
            Property::norace("y".into(), Region { vars: vec![SharedId(1)], depth: 1, plain: false }, Span::default());
    });
    damaged("an exception is of sort Int", |p| p.exceptions[0] = int(1));
    damaged("a contract is of sort Int", |p| p.relies[0].formula = int(1));
    damaged("binds copies of no thread", |p| p.guarantees[0].subject = Domain::Copies(TemplateId(9)));
    damaged("is no thread", |p| p.guarantees[0].subject = Domain::Sort(Sort::Bool));
    damaged("binds a variable of sort Int", |p| {
        let Violated::When(e, _) = &mut p.properties[0].violated else { unreachable!() };
        let ExprKind::Quantified(Quantifier::Forall, binder, _) = &mut e.kind else { unreachable!() };
        binder.domain = Domain::Sort(Sort::Int);
    });
    damaged("specifies no thread", |p| p.abstract_threads[0].template = TemplateId(9));
    damaged("specify one thread", |p| {
        let again = p.abstract_threads[0].clone();
        p.abstract_threads.push(again);
    });
    damaged("starts at no node", |p| p.abstract_threads[0].init = vec![9]);
    damaged("an abstract edge starts or ends nowhere", |p| p.abstract_threads[0].edges[0].to = 9);
    damaged("changes a variable that is not there", |p| p.abstract_threads[0].edges[0].frame = vec![SharedId(99)]);
    damaged("the assertion of a node", |p| p.abstract_threads[0].nodes[0].assertion = Some(int(1)));
    damaged("the formula of an abstract edge", |p| p.abstract_threads[0].edges[0].formula = Some(int(1)));
}
