//! What a SAFE verdict says nothing about: statements that no execution gets to, or none gets past.

use crate::notes::Note;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use threadwise_claims::Unreached;
use threadwise_ir::{Copies, Expr, ExprKind, LocationId, Op, Program, Routine};
use threadwise_source::Span;

struct Statement {
    span: Span,
    is_taken: bool,
    /// Control gets to where it begins.
    is_met: bool,
}

/// The statements of which no edge is taken, in the order of the text; those inside of another one are not named.
pub(crate) fn unreached(program: &Program, taken: &[u64]) -> Vec<Unreached> {
    let reached = reached_locations(program, taken);
    // By where they begin; the longer one of two first.
    let mut statements: BTreeMap<(u32, Reverse<u32>), Statement> = BTreeMap::new();
    for (edge, &times) in program.edges.iter().zip(taken).filter(|(edge, _)| !edge.only_fails()) {
        let key = (edge.span.start, Reverse(edge.span.end));
        let statement = statements.entry(key).or_insert(Statement { span: edge.span, is_taken: false, is_met: false });
        statement.is_taken |= times > 0;
        statement.is_met |= reached.contains(&edge.from);
    }
    let mut found: Vec<Unreached> = Vec::new();
    for Statement { span, is_taken, is_met: is_stuck } in statements.into_values() {
        let is_inside = found.last().is_some_and(|last| span.end <= last.span.end && !last.is_stuck);
        // The brace at the end of a procedure is no statement.
        let is_brace = span.end - span.start <= 1;
        if !is_taken && !is_brace && !is_inside {
            found.push(Unreached { span, is_stuck });
        }
    }
    found
}

/// Where control gets: to the beginning of threads that there are, and wherever an edge that is taken leads.
fn reached_locations(program: &Program, taken: &[u64]) -> BTreeSet<LocationId> {
    let mut reached = BTreeSet::new();
    for template in program.templates.iter().filter(|template| template.copies != Copies::Exactly(0)) {
        reached.insert(program.routine(template.body).entry);
    }
    let is_taken = |edge: u32| taken[edge as usize] > 0;
    let returns = |edge: u32| matches!(program.edges[edge as usize].op, Op::Return(_));
    let comes_back = |routine: &Routine| routine.edges.clone().any(|edge| is_taken(edge) && returns(edge));
    for (edge, _) in program.edges.iter().zip(taken).filter(|(_, times)| **times > 0) {
        match &edge.op {
            Op::Call { routine, .. } => {
                let routine = program.routine(*routine);
                reached.insert(routine.entry);
                reached.extend(comes_back(routine).then_some(edge.to));
            }
            Op::Command(_) => {
                reached.insert(edge.to);
            }
            Op::Return(_) => {}
        }
    }
    reached
}

/// Properties whose truth depends on no state: they say nothing about the program.
pub(crate) fn constant_properties(program: &Program) -> impl Iterator<Item = Note> + '_ {
    let looks = |e: &Expr| match e.kind {
        ExprKind::Read(_) | ExprKind::ReadAfter(_) | ExprKind::At(..) | ExprKind::LocalOf(..) => true,
        ExprKind::Const(_)
        | ExprKind::Thread(_)
        | ExprKind::SelfThread
        | ExprKind::Bound(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Conditional(..)
        | ExprKind::Index(..)
        | ExprKind::SetLiteral(_)
        | ExprKind::ArrayLiteral(_)
        | ExprKind::Quantified(..) => false,
    };
    program.formulas().filter(move |(_, formula, _)| !formula.any(&looks)).map(|(id, ..)| {
        let span = program.property(id).span;
        Note::ConstantProperty {
            text: program.source.snippet(span, 80),
            place: program.source.locate(span).to_string(),
        }
    })
}
