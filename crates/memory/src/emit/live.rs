//! After a thread is emitted: locals whose values nobody reads any more get their defaults back, so that states do not
//! differ in what does not matter; what is stored and never read is not stored.

use std::collections::BTreeSet;
use threadwise_ir::{Edge, Expr, ExprKind, LocalId, Op, Place, Program, RoutineId, Sort, Update, Value, VarRef};
use threadwise_source::Span;

type Locals = BTreeSet<LocalId>;

fn reads(e: &Expr, into: &mut Locals) {
    e.walk(&mut |part| {
        if let ExprKind::Read(VarRef::Local(id)) = part.kind {
            into.insert(id);
        }
    });
}

pub(super) fn reads_shared(e: &Expr) -> bool {
    let mut is_there = false;
    e.walk(&mut |part| is_there |= matches!(part.kind, ExprKind::Read(VarRef::Shared(_))));
    is_there
}

/// The locals that an edge reads, and those that it overwrites.
fn uses(edge: &Edge) -> (Locals, Locals) {
    let (mut read, mut written) = (Locals::new(), Locals::new());
    let Op::Command(command) = &edge.op else { return (read, written) };
    command.assertions.iter().for_each(|assertion| reads(&assertion.condition, &mut read));
    command.guard.iter().for_each(|guard| reads(guard, &mut read));
    if let Update::Assign(assignments) = &command.update {
        for (place, value) in assignments {
            place.indices.iter().for_each(|index| reads(index, &mut read));
            if let Value::Of(e) = value {
                reads(e, &mut read);
            }
            match place.var {
                VarRef::Local(id) if place.indices.is_empty() => {
                    written.insert(id);
                }
                VarRef::Local(id) => {
                    read.insert(id);
                }
                VarRef::Shared(_) => {}
            }
        }
    }
    (read, written)
}

/// Works on the locations and edges from these numbers on, which are those of the routine.
pub(super) fn tidy(program: &mut Program, edges: &mut [Edge], routine: RoutineId, location: usize, edge: usize) {
    let count = program.locations.len() - location;
    let mut live: Vec<Locals> = vec![Locals::new(); count];
    let used: Vec<(Locals, Locals)> = edges[edge..].iter().map(uses).collect();
    // Backward, until nothing changes; most code is emitted in its order, so going from the end is quick.
    let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (index, e) in edges[edge..].iter().enumerate() {
        incoming[e.to.index() - location].push(index);
    }
    let mut work: BTreeSet<usize> = (0..count).collect();
    while let Some(at) = work.pop_last() {
        for &index in &incoming[at] {
            let (read, written) = &used[index];
            let from = edges[edge + index].from.index() - location;
            let before = live[from].len();
            let mut new: Locals = live[at].difference(written).copied().collect();
            new.extend(read);
            live[from].extend(new);
            if live[from].len() > before {
                work.insert(from);
            }
        }
    }
    let locals = &program.routines[routine.index()].locals;
    for (index, e) in edges[edge..].iter_mut().enumerate() {
        let (from, to) = (e.from.index() - location, e.to.index() - location);
        let after = &live[to];
        let Op::Command(command) = &mut e.op else { continue };
        let Update::Assign(assignments) = &mut command.update else { continue };
        let matters = |(place, value): &(Place, Value)| match (place.var, value) {
            (VarRef::Local(id), Value::Of(e)) => {
                // What is read of memory is accessed, whether anybody looks at it or not.
                after.contains(&id) || e.can_fail() || place.indices.iter().any(Expr::can_fail) || reads_shared(e)
            }
            (VarRef::Local(id), Value::Any) => after.contains(&id),
            (VarRef::Shared(_), _) => true,
        };
        let mut kept: Vec<(Place, Value)> = assignments.iter().filter(|a| matters(a)).cloned().collect();
        let (read, written) = &used[index];
        let dying = live[from].union(read).chain(written).filter(|id| !after.contains(id));
        let dying: Locals = dying.copied().collect();
        for id in dying {
            let local = &locals[id.index()];
            let is_assigned = kept.iter().any(|(place, _)| place.var == VarRef::Local(id));
            let is_array = matches!(local.sort, Sort::Array(..));
            if !is_assigned
                && !is_array
                && live[from].contains(&id)
                && let Some(default) = Expr::default_of(&local.sort, e.span)
            {
                // Nobody wrote it, so that it stands nowhere.
                let span = Span::default();
                let place = Place { var: VarRef::Local(id), indices: Box::default(), sort: (&local.sort).into(), span };
                kept.push((place, Value::Of(default)));
            }
        }
        *assignments = kept.into();
    }
}
