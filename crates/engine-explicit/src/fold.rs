//! Folds steps that no other thread can observe into their predecessors.
//!
//! A step that reads and writes only the thread's own variables, cannot block and cannot fail
//! commutes with every step of the other threads; if no property looks at the point before it, the
//! point can be skipped: it becomes transient. Locals whose values are never read again are
//! cleared. Both keep every error reachable and add none; there are fewer states, and shorter
//! traces that `unfold` turns back into those of the program.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use threadwise_ir::{
    BinaryOp, Command, Edge, ExprKind, LocalId, LocationId, Op, Place, Program, PropertyKind, RoutineId, Sort, Update,
    Value, VarRef,
};

/// The program with unobservable steps folded, and at how many points; locations and edges keep
/// their numbers.
pub(crate) fn fold(program: &Program) -> (Program, u64) {
    let seen = Seen::by_properties(program);
    let mut folded = program.clone();
    for (location, dead) in folded.locations.iter_mut().zip(dead_locals(program, &seen)) {
        location.dead = dead;
    }
    let points = foldable(program, &seen);
    for id in &points {
        folded.locations[id.index()].transient = true;
    }
    (folded, points.len() as u64)
}

/// What properties look at.
struct Seen {
    locations: FxHashSet<LocationId>,
    locals: FxHashSet<(RoutineId, LocalId)>,
}

impl Seen {
    fn by_properties(program: &Program) -> Seen {
        let mut seen = Seen { locations: FxHashSet::default(), locals: FxHashSet::default() };
        for property in &program.properties {
            let (PropertyKind::Invariant(_, e) | PropertyKind::Never(e)) = &property.kind else { continue };
            e.walk(&mut |e| match &e.kind {
                ExprKind::At(_, locations) => seen.locations.extend(locations),
                ExprKind::LocalOf(thread, local) => {
                    seen.locals.insert((program.template(thread.template).body, *local));
                }
                _ => {}
            });
        }
        seen
    }
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
    let guarded = edges.iter().any(|e| matches!(&e.op, Op::Command(Command { guard: Some(_), .. })));
    let is_test = edges.len() == 2 && edges.iter().all(|e| e.branch.is_some());
    let may_block = edges.is_empty() || guarded && !is_test;
    !location.transient
        && !seen.locations.contains(&id)
        && !may_block
        && edges.iter().all(|edge| {
            // Beyond a transient location an atomic block may lie, and that may block.
            !program.location(edge.to).transient && is_private(edge, location.routine, seen)
        })
}

/// Whether an edge touches nothing but locals that no property looks at, and cannot fail.
fn is_private(edge: &Edge, routine: RoutineId, seen: &Seen) -> bool {
    let Op::Command(command) = &edge.op else { return false };
    let Update::Assign(assignments) = &command.update else { return false };
    let mut private = command.assertions.is_empty();
    edge.op.walk_expressions(&mut |e| {
        private &= match &e.kind {
            ExprKind::Read(VarRef::Shared(_)) | ExprKind::Index(..) | ExprKind::SetLiteral(_) => false,
            ExprKind::Binary(op, ..) => !matches!(op, BinaryOp::Div | BinaryOp::Mod),
            _ => true,
        };
    });
    private
        && assignments.iter().all(|(place, value)| match place.var {
            VarRef::Shared(_) => false,
            VarRef::Local(local) => {
                place.indices.is_empty() && !seen.locals.contains(&(routine, local)) && surely_fits(value, &place.sort)
            }
        })
}

/// Whether storing the value cannot be a range error.
fn surely_fits(value: &Value, sort: &Sort) -> bool {
    let (Value::Of(e), Sort::Range(lo, hi)) = (value, sort) else { return true };
    match (&e.kind, &e.sort) {
        (ExprKind::Const(value), _) => lo <= value && value <= hi,
        (_, Sort::Range(from, to)) => lo <= from && to <= hi,
        _ => false,
    }
}

/// For each location the locals whose values there are never read again.
fn dead_locals(program: &Program, seen: &Seen) -> Vec<Vec<LocalId>> {
    let mut live: Vec<BTreeSet<LocalId>> = vec![BTreeSet::new(); program.locations.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for edge in program.edges.iter().rev() {
            let mut before = live_before(program, edge, &live[edge.to.index()]);
            before.retain(|local| !live[edge.from.index()].contains(local));
            changed |= !before.is_empty();
            live[edge.from.index()].extend(before);
        }
    }
    let dead = |(location, live): (&threadwise_ir::Location, &BTreeSet<LocalId>)| {
        let locals = 0..program.routine(location.routine).locals.len() as u32;
        let is_dead = |id: &LocalId| {
            location.dead.contains(id) || !live.contains(id) && !seen.locals.contains(&(location.routine, *id))
        };
        locals.map(LocalId).filter(is_dead).collect()
    };
    program.locations.iter().zip(&live).map(dead).collect()
}

/// The locals that are live before an edge, given those live after it.
fn live_before(program: &Program, edge: &Edge, after: &BTreeSet<LocalId>) -> BTreeSet<LocalId> {
    let mut live = after.clone();
    match &edge.op {
        Op::Command(command) => {
            if let Update::Assign(assignments) = &command.update {
                assignments.iter().for_each(|(place, _): &(Place, Value)| kill(place, &mut live));
            }
        }
        Op::Call { result, .. } => result.iter().for_each(|place| kill(place, &mut live)),
        Op::Return(value) => {
            live.clear();
            let result = program.routine(program.location(edge.from).routine).result;
            live.extend(result.filter(|_| value.is_none()));
        }
    }
    edge.op.walk_expressions(&mut |e| {
        if let ExprKind::Read(VarRef::Local(local)) | ExprKind::ReadAfter(VarRef::Local(local)) = e.kind {
            live.insert(local);
        }
    });
    live
}

fn kill(place: &Place, live: &mut BTreeSet<LocalId>) {
    if let (VarRef::Local(local), true) = (place.var, place.indices.is_empty()) {
        live.remove(&local);
    }
}
