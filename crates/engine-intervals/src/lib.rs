//! The engine `intervals`: proves by abstract interpretation, one thread at a time, for any number of threads and for numbers
//! without bounds. At each point of a thread it knows a set for each number, and how far some are apart; of the others
//! it knows what they write, and of the store what holds whenever a mutex is free or a flag has a value.
//!
//! [`analyse`] weakens all this until it is closed under everybody's steps. If nothing can go wrong then, what is known
//! at the points is a proof by assertions, which a judge checks with a solver.

mod apart;
mod arithmetic;
mod assign;
mod assume;
mod cells;
mod expression;
mod fixpoint;
mod known;
mod number;
mod others;
mod proof;
mod state;
mod step;

use assume::Reader;
use cells::Cells;
use expression::Eyes;
use fixpoint::{Analysis, Here, Stop};
use std::sync::Arc;
use threadwise_claims::{Advice, Claim, Stats, Unknown};
use threadwise_ir::{Initial, Program, RoutineId};
use threadwise_limits::{Budget, Limit};

/// Whether the engine can treat a program, or why it cannot.
pub fn applicable(program: &Program) -> Result<(), String> {
    if program.patterns().next().is_some() {
        return Err("it asks what threads do at the same time".to_string());
    }
    if program.formulas().any(|(_, e, _)| e.looks_at_threads()) {
        return Err("a property says where threads are".to_string());
    }
    if program.is_recursive() {
        return Err("it is recursive".to_string());
    }
    Ok(())
}

/// Looks for a proof: in the program as it is, and then with its steps taken apart, where less happens at once. What holds
/// between the parts of steps holds between the steps.
pub fn analyse(program: &Arc<Program>, budget: &Budget) -> (Claim, Stats) {
    if let Err(reason) = applicable(program) {
        return (Claim::Unknown(Unknown { reason, advice: vec![Advice::UseAuto] }), Stats::default());
    }
    let (claim, stats) = analyse_as(program, program, budget);
    let (Claim::Unknown(_), Some(finer)) = (&claim, apart::taken_apart(program)) else { return (claim, stats) };
    match analyse_as(&finer, program, budget) {
        (Claim::Proved(proof), stats) => (Claim::Proved(proof), stats),
        _ => (claim, stats),
    }
}

/// Looks for a proof of a program that does what another one does in smaller steps. The proof is about the other one.
fn analyse_as(program: &Arc<Program>, whole: &Program, budget: &Budget) -> (Claim, Stats) {
    let cells = Cells::new(program);
    let mut analysis = Analysis::new(&cells, budget);
    let outcome = analysis.run().and_then(|()| Ok(error(&analysis)?));
    let stats = Stats::of(vec![
        ("points", analysis.points() as u64),
        ("states", analysis.here.len() as u64),
        ("rounds", analysis.rounds),
    ]);
    let unknown = |reason: String| Claim::Unknown(Unknown { reason, advice: vec![Advice::UseAuto] });
    let claim = match outcome {
        Ok(None) => Claim::Proved(proof::proof(&analysis, whole)),
        Ok(Some(reason)) => unknown(reason),
        Err(Stop::Limit(limit)) => Claim::Unknown(Unknown::at_limit(limit)),
        Err(Stop::TooLong(span)) => {
            unknown(format!("the step at {} is too long, or has a loop", program.source.locate(span)))
        }
        Err(Stop::Endless) => unknown("what threads know of each other does not settle".to_string()),
    };
    (claim, stats)
}

/// Something that may go wrong, as far as is known.
fn error(analysis: &Analysis<'_>) -> Result<Option<String>, Limit> {
    let program = analysis.cells.program;
    if initial_error(analysis.cells) {
        return Ok(Some("initial values may be in error".to_string()));
    }
    if let Some(span) = analysis.wrong_start {
        return Ok(Some(format!("it cannot exclude an error at {}", program.source.locate(span))));
    }
    // What holds is said where threads are.
    if analysis.here.is_empty() {
        return Ok(Some("there is no thread".to_string()));
    }
    for here in analysis.here.iter().filter(|here| !here.is_gone) {
        let ends = analysis.step(here)?;
        if let Some(span) = ends.faults.first() {
            return Ok(Some(format!("it cannot exclude an error at {}", program.source.locate(*span))));
        }
        if let Some(reason) = broken_property(analysis, here) {
            return Ok(Some(reason));
        }
    }
    Ok(None)
}

/// Whether an initial value, or an `init`, may run into an error.
fn initial_error(cells: &Cells<'_>) -> bool {
    let program = cells.program;
    let values = program.shared.iter().filter_map(|var| match &var.init {
        Initial::Value(e) => Some((e, &var.sort)),
        Initial::Default | Initial::Any => None,
    });
    let leaves_range = |e: &threadwise_ir::Expr, sort: &threadwise_ir::Sort| match sort {
        threadwise_ir::Sort::Range(low, high) => {
            !matches!(e.kind, threadwise_ir::ExprKind::Const(value) if (*low..=*high).contains(&value))
        }
        _ => false,
    };
    values.into_iter().any(|(e, sort)| e.can_fail() || leaves_range(e, sort))
        || program.init.iter().any(|e| e.can_fail())
}

fn broken_property(analysis: &Analysis<'_>, here: &Here) -> Option<String> {
    let program = analysis.cells.program;
    let state = analysis.full(here)?;
    program.formulas().find_map(|(id, e, wrong)| {
        let eyes = Eyes::new(analysis.cells, here.role, RoutineId(0));
        let reader = Reader { eyes, known: Some(&analysis.known), written: Vec::new() };
        let broken = !reader.assume(state.clone(), e, wrong, &[]).is_empty() || reader.eyes.fault.get();
        let at = || program.source.locate(program.property(id).span);
        broken.then(|| format!("it cannot exclude that the property at {} is violated", at()))
    })
}
