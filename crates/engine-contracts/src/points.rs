//! What holds at the points between a thread's steps, for properties that say where threads are: of the
//! program's own predicates those that hold at a point whenever control is there.

use crate::Stop;
use crate::candidates::candidates;
use crate::encode::Encoder;
use crate::infer::violated_candidates;
use threadwise_ir::{Expr, ExprKind, Point, RoutineId, VarRef};
use threadwise_logic::{SmtSort, Term};

/// What is found out about a thread, whichever copy of its template it is.
#[derive(Clone, Default)]
pub(crate) struct ThreadContract {
    /// So many steps in a row that the thread's rely admits cover any number of them; 1 if the rely is transitive.
    pub(crate) closure: u32,
    /// What holds whenever control is at the head of a loop.
    pub(crate) loops: Vec<PointAssertion>,
    /// What holds at other points, for properties that say where threads are.
    pub(crate) points: Vec<PointAssertion>,
}

/// What holds whenever a thread's control is at a point.
#[derive(Clone)]
pub(crate) struct PointAssertion {
    pub(crate) point: Point,
    /// What holds, over the shared variables and the locals there. Inside an atomic step primed
    /// variables stand for the values at the start of the step.
    pub(crate) holds: Vec<Expr>,
    /// Whether it was inferred and not written by the user.
    pub(crate) inferred: bool,
    /// What holds of the locals of the thread's own code, while a procedure runs.
    pub(crate) of_caller: Vec<Expr>,
}

/// Whether an expression speaks of no shared variable.
pub(crate) fn is_local(e: &Expr) -> bool {
    !e.any(&|e| matches!(e.kind, ExprKind::Read(VarRef::Shared(_)) | ExprKind::ReadAfter(_)))
}

/// A point between two steps of a thread, and what is known there.
pub(crate) struct Place {
    pub(crate) point: Point,
    /// The routine whose locals are seen there: that of the innermost call.
    pub(crate) routine: RoutineId,
    /// What the invariants of a loop say there.
    pub(crate) said: Vec<Expr>,
    /// What was found to hold there beside that.
    pub(crate) found: Vec<Expr>,
}

impl Place {
    /// Everything that is known.
    pub(crate) fn known(&self) -> impl Iterator<Item = &Expr> {
        self.said.iter().chain(&self.found)
    }

    /// What is known beside the invariants of loops, as far as it is wanted.
    pub(crate) fn assertion(&self, wanted: impl Fn(usize) -> bool) -> Option<PointAssertion> {
        let found = self.found.iter().enumerate().filter(|(index, _)| wanted(*index));
        let holds: Vec<Expr> = found.map(|(_, e)| e.clone()).collect();
        let point = self.point.clone();
        (!holds.is_empty()).then(|| PointAssertion { point, holds, inferred: true, of_caller: Vec::new() })
    }
}

/// All points between steps. The encoder has told the solver everything, loop invariants included; `at_loop` gives
/// those at the node with a number.
pub(crate) fn places(encoder: &mut Encoder<'_>, at_loop: &dyn Fn(usize) -> Vec<Expr>) -> Result<Vec<Place>, Stop> {
    let mut places = Vec::new();
    for (number, node) in encoder.graph.nodes.iter().enumerate().filter(|(_, node)| !node.inside_step) {
        let tried = candidates(encoder.contracts, encoder.template, &node.point, false);
        let state = encoder.states[number].clone();
        let mut found = Vec::new();
        let mut violated: Vec<Term> = Vec::new();
        encoder.session.push();
        for e in tried {
            // What cannot be said to the solver is no candidate.
            let Ok(holds) = encoder.holds(&state, &e) else { continue };
            let name = encoder.session.declare(&format!("missed.{}", violated.len()), &SmtSort::Bool);
            encoder.session.assert(&name.implies(state.at.and(holds.not())));
            violated.push(name);
            found.push(e);
        }
        let mut alive: Vec<usize> = (0..found.len()).collect();
        while !alive.is_empty() {
            let terms: Vec<Term> = alive.iter().map(|&index| violated[index].clone()).collect();
            let dropped = violated_candidates(encoder.session, &[], &terms, false)?;
            if dropped.is_empty() {
                break;
            }
            let mut position = 0..;
            alive.retain(|_| !dropped.contains(&position.next().expect("there is no end")));
        }
        encoder.session.pop();
        places.push(Place {
            point: node.point.clone(),
            routine: *node.routines.last().expect("there is the thread's own routine"),
            said: at_loop(number),
            found: alive.iter().map(|&index| found[index].clone()).collect(),
        });
    }
    Ok(places)
}
