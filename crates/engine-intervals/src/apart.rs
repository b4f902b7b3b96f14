//! Steps that do much at once, taken apart.
//!
//! A step that writes two variables changes both for everybody else at once, and what is known of others here is what they write
//! to each variable by itself. Taken apart it is often easier to see what happens: a flag that goes up before a number goes
//! down. The program then has all executions that it had and some more, so that what holds in all of them holds.

use std::sync::Arc;
use threadwise_ir::{Command, Edge, ExprKind, LocationId, Op, Program, Update, Value, VarRef};

/// The program with points before all accesses of shared variables; nothing where it has no more points then.
pub(crate) fn taken_apart(program: &Program) -> Option<Arc<Program>> {
    let ids = (0..program.locations.len() as u32).map(LocationId);
    // What was chosen to be used at once is not to be changed meanwhile.
    let chosen = program.edges.iter().filter(|edge| chooses_shared(edge)).map(|edge| edge.to);
    let chosen: Vec<LocationId> = chosen.collect();
    let accesses = |id: &LocationId| {
        let location = program.location(*id);
        location.transient && location.edges.iter().any(|&edge| is_access(program.edge(edge)))
    };
    let points: Vec<LocationId> = ids.filter(accesses).filter(|id| !chosen.contains(id)).collect();
    if points.is_empty() {
        return None;
    }
    let mut finer = program.clone();
    points.into_iter().for_each(|id| finer.locations[id.index()].transient = false);
    Some(Arc::new(finer))
}

fn is_access(edge: &Edge) -> bool {
    let mut found = match &edge.op {
        Op::Command(Command { update: Update::Assign(assignments), .. }) => {
            assignments.iter().any(|(place, _)| matches!(place.var, VarRef::Shared(_)))
        }
        Op::Command(_) => true,
        Op::Call { .. } | Op::Return(_) => false,
    };
    edge.op.walk_expressions(&mut |e| found |= matches!(e.kind, ExprKind::Read(VarRef::Shared(_))));
    found
}

fn chooses_shared(edge: &Edge) -> bool {
    let Op::Command(Command { update: Update::Assign(assignments), .. }) = &edge.op else { return false };
    assignments.iter().any(|(place, value)| matches!((place.var, value), (VarRef::Shared(_), Value::Any)))
}
