//! Folds steps that no other thread can observe into their predecessors.
//!
//! # What is folded
//!
//! A step that reads and writes only the thread's own variables, cannot block and cannot fail
//! commutes with every step of the other threads. If beside no violation is lost with the states in
//! which a thread is before such a step, the point before it can be skipped: it becomes transient.
//! Locals whose values are never read again are cleared. Both keep every error reachable and add
//! none; there are fewer states, and shorter traces that `unfold` turns back into those of the program.
//!
//! # Why no error is lost
//!
//! Take a reachable state `S` of the program in which threads are at folded points. Each of them can
//! go on by itself, whatever the others do, through finitely many folded points to one that is not
//! folded: it cannot block, cannot fail, and goes around no cycle. Let `S'` be a state where all of
//! them have done so. `S'` has the shared store of `S`, and the folded program reaches it: the steps
//! that lead to `S` also lead there if each folded step is done at once, since it commutes with what
//! the others did in between. At the start of a thread, after a call and after a return this is no
//! different: control runs on from where it arrives.
//!
//! So it is enough that what is an error in `S` is one in `S'`:
//!
//! - *Steps that go wrong* and *races*: a thread at a folded point does nothing wrong in its next step
//!   and accesses nothing shared; the other threads are in `S'` as they are in `S`.
//! - *Deadlocks*: a thread at a folded point can take its next step, so where all threads are still none is at such a
//!   point, and `S'` is `S`. In the folded program a step runs on where it comes to a folded point. It always can, so
//!   there is such a step just if there is one without folding: none is lost, and none is made up.
//! - *Cycles of locks*: who waits for a mutex is not at a folded point, and waits in `S'` as in `S`.
//! - *Formulas* see shared variables, locals `t.x` and points `t@L`. A folded step leaves all locals
//!   that they see as they are: it neither assigns them nor ends their scope. A point that a formula
//!   names is never folded, so a folded step does not make a `t@L` false. It may make one true where
//!   this can only help to violate the property, as in `never A@critical && B@critical`: what is violated
//!   before is so after it. This is only said of properties whose evaluation cannot fail, since errors
//!   are not monotone: `(t@L || 1 / 0 == 1) && false` fails only where `t@L` is false.
//!
//! Where a number outgrows 64 bits there may be no `S'`; but then the search meets that gap and says
//! that it does not know.
//!
//! Clearing a local that is never read again changes no step, and no property sees it.

use crate::liveness::dead_locals;
use crate::seen::Seen;
use rustc_hash::{FxHashMap, FxHashSet};
use threadwise_evidence::Folding;
use threadwise_ir::{
    BinaryOp, Edge, Expr, ExprKind, LocalId, LocationId, Op, Program, RoutineId, UnaryOp, Update, Value, VarRef,
};

/// The points whose steps can be folded, and the locals that can be forgotten.
pub(crate) fn fold(program: &Program) -> Folding {
    let seen = Seen::by_properties(program);
    let mut points = foldable(program, &seen);
    points.sort_unstable();
    let ids = (0..program.locations.len() as u32).map(LocationId);
    let forgotten = ids.zip(dead_locals(program, &seen)).filter_map(|(id, dead)| {
        let own = &program.location(id).dead;
        let more: Vec<LocalId> = dead.iter().copied().filter(|local| !own.contains(local)).collect();
        (!more.is_empty()).then_some((id, more))
    });
    Folding { points, forgotten: forgotten.collect() }
}

/// The locations whose steps can be folded, without those that lie on or lead to a cycle of such
/// locations: control must come to rest.
fn foldable(program: &Program, seen: &Seen) -> Vec<LocationId> {
    let ids = (0..program.locations.len() as u32).map(LocationId);
    let candidates: FxHashSet<LocationId> = ids.filter(|&id| is_foldable(program, id, seen)).collect();
    // For each candidate, the edges that lead from it to a candidate of which it is not yet known
    // that it comes to rest; and the candidates that lead to it.
    let mut restless = FxHashMap::default();
    let mut led_to_by: FxHashMap<LocationId, Vec<LocationId>> = FxHashMap::default();
    for &id in &candidates {
        let targets = program.location(id).edges.iter().map(|&edge| program.edge(edge).to);
        let targets: Vec<LocationId> = targets.filter(|to| candidates.contains(to)).collect();
        restless.insert(id, targets.len());
        targets.into_iter().for_each(|to| led_to_by.entry(to).or_default().push(id));
    }
    let mut settled: Vec<LocationId> = restless.iter().filter(|(_, count)| **count == 0).map(|(id, _)| *id).collect();
    let mut next = 0;
    while let Some(&id) = settled.get(next) {
        next += 1;
        for from in led_to_by.remove(&id).unwrap_or_default() {
            let count = restless.get_mut(&from).expect("every candidate is counted");
            *count -= 1;
            if *count == 0 {
                settled.push(from);
            }
        }
    }
    settled
}

fn is_foldable(program: &Program, id: LocationId, seen: &Seen) -> bool {
    let location = program.location(id);
    let edges: Vec<&Edge> = location.edges.iter().map(|&edge| program.edge(edge)).collect();
    let goes_on_unseen = |edge: &&Edge| {
        // Beyond a transient location an atomic block may lie, and that may block.
        !program.location(edge.to).transient
            && is_private(edge, location.routine, seen)
            && !seen.by_points(id, edge.to)
            && !seen.at_the_end_of_a_scope(program, edge)
    };
    !location.transient && can_always_go_on(&edges) && edges.iter().all(goes_on_unseen)
}

/// Whether no edge has a guard, or there are two that test a condition. What counts is what the guards say, not that the edges
/// are called branches.
fn can_always_go_on(edges: &[&Edge]) -> bool {
    let guard = |edge: &&Edge| match &edge.op {
        Op::Command(command) => command.guard.is_some(),
        Op::Call { .. } | Op::Return(_) => false,
    };
    match edges {
        [Edge { op: Op::Command(a), .. }, Edge { op: Op::Command(b), .. }] => match (&a.guard, &b.guard) {
            (Some(a), Some(b)) => excludes_just(a, b) || excludes_just(b, a),
            (a, b) => a.is_none() && b.is_none(),
        },
        edges => !edges.is_empty() && !edges.iter().any(guard),
    }
}

/// Whether the second condition holds just where the first one does not.
fn excludes_just(condition: &Expr, other: &Expr) -> bool {
    match (&condition.kind, &other.kind) {
        (_, ExprKind::Unary(UnaryOp::Not, inner)) => **inner == *condition,
        (ExprKind::Binary(BinaryOp::Lt, a, b), ExprKind::Binary(BinaryOp::Ge, c, d))
        | (ExprKind::Binary(BinaryOp::Gt, a, b), ExprKind::Binary(BinaryOp::Le, c, d))
        | (ExprKind::Binary(BinaryOp::Eq, a, b), ExprKind::Binary(BinaryOp::Ne, c, d)) => (a, b) == (c, d),
        _ => false,
    }
}

/// Whether an edge touches nothing but locals that no property looks at, and cannot fail.
fn is_private(edge: &Edge, routine: RoutineId, seen: &Seen) -> bool {
    let Op::Command(command) = &edge.op else { return false };
    let Update::Assign(assignments) = &command.update else { return false };
    let mut private = command.assertions.is_empty();
    edge.op.walk_expressions(&mut |e| private &= !e.fails_itself() && !looks_beyond_the_thread(e));
    private
        && assignments.iter().all(|(place, value)| match place.var {
            VarRef::Shared(_) => false,
            VarRef::Local(local) => {
                let fits = match value {
                    Value::Of(e) => e.surely_fits(&place.sort),
                    Value::Any => true,
                };
                fits && place.indices.is_empty() && !seen.local(routine, local)
            }
        })
}

/// Whether the value depends on more than the thread's own variables, what its parts depend on aside.
fn looks_beyond_the_thread(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Read(VarRef::Shared(_)) | ExprKind::ReadAfter(_) | ExprKind::LocalOf(..) | ExprKind::At(..) => true,
        ExprKind::Const(_)
        | ExprKind::Thread(_)
        | ExprKind::SelfThread
        | ExprKind::Read(VarRef::Local(_))
        | ExprKind::Bound(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Conditional(..)
        | ExprKind::Index(..)
        | ExprKind::SetLiteral(_)
        | ExprKind::ArrayLiteral(_)
        | ExprKind::Quantified(..) => false,
    }
}
