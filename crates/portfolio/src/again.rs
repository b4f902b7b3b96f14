//! A program that was verified, and verified again after an edit, by engine `modular` and a judge who both remember what they found out.
//!
//! All of it is in memory. What an edit leaves as it was is neither analysed nor judged again; where that gives no proof, nothing is said, and
//! the program is to be verified from the start.

use crate::judge::catch;
use crate::name::EngineName;
use crate::unreached::{constant_properties, unreached};
use crate::verify::Outcome;
use std::sync::Arc;
use std::time::Instant;
use threadwise_check::{CheckError, CheckedProof, Remembered, can_be_remembered, check_again, check_and_remember};
use threadwise_claims::Attempt;
use threadwise_engine_modular::{Kept, Update, analyse_again, analyse_and_keep};
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_verdict::Verdict;
use threadwise_workers::watched;

/// What is remembered of a program that was proved.
pub struct Earlier {
    kept: Kept,
    judged: Remembered,
}

/// The number among those of an engine that tells how many thread states were neither analysed nor judged again.
pub const KEPT: &str = "kept_thread_states";

/// Proves a program in order to remember how. Nothing, if that does not go by engine `modular`, or not for such a program.
pub fn keep(program: &Arc<Program>, budget: &Budget) -> Option<Earlier> {
    if !is_asked_nothing_else(program) || !can_be_remembered(program) {
        return None;
    }
    let program = program.clone();
    let work = move |budget: &Budget| {
        let update = analyse_and_keep(&program, budget).ok().flatten()?;
        let (_, judged) = check_and_remember(&program, &update.change, budget).ok()?;
        Some(Earlier { kept: update.kept, judged })
    };
    watched("modular", budget, move |budget| catch(|| work(budget)).ok().flatten()).ok().flatten()
}

/// Verifies a program after an edit. Nothing, if it takes more than a look at what was edited.
pub fn verify_again(earlier: &Arc<Earlier>, program: &Arc<Program>, budget: &Budget) -> Option<(Outcome, Earlier)> {
    if !is_asked_nothing_else(program) {
        return None;
    }
    let started = Instant::now();
    let (earlier, again) = (earlier.clone(), program.clone());
    let work = move |budget: &Budget| {
        let update = analyse_again(&earlier.kept, &again, budget).ok().flatten()?;
        let judged: Result<(CheckedProof, Remembered), CheckError> =
            check_again(&earlier.judged, &again, &update.change, budget);
        judged.ok().map(|judged| (update, judged))
    };
    let done = watched("modular", budget, move |budget| catch(|| work(budget)).ok().flatten()).ok().flatten();
    let (Update { change, kept, mut stats }, (checked, judged)) = done?;
    let fresh: u64 = change.threads.iter().flatten().map(|(_, locals)| locals.len() as u64).sum();
    stats.numbers.push((KEPT, checked.states().saturating_sub(fresh)));
    let engine = EngineName::Modular;
    let seconds = started.elapsed().as_secs_f64();
    let outcome = Outcome {
        verdict: Verdict::safe(checked),
        engine: engine.into(),
        modular: Some(true),
        unreached: stats.taken.as_ref().map_or_else(Vec::new, |taken| unreached(program, taken)),
        stats,
        attempts: vec![Attempt { engine: engine.as_str(), verdict: "safe", reason: None, seconds }],
        notes: constant_properties(program).into_iter().collect(),
        chosen: None,
        proof: None,
        rejected: None,
    };
    Some((outcome, Earlier { kept, judged }))
}

/// Whether all that is to be verified are the properties: what the user says of threads himself is for other engines.
fn is_asked_nothing_else(program: &Program) -> bool {
    program.abstract_threads.is_empty() && program.relies.is_empty() && program.guarantees.is_empty()
}
