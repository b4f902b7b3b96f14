//! Loop invariants found by elimination: of all candidates, those are dropped that do not hold when a loop
//! is entered or are not kept by an iteration, until the rest keeps itself (Houdini).

use crate::Stop;
use crate::encode::Encoder;
use std::collections::{BTreeMap, BTreeSet};
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::{Answer, Session, SolverError};

/// For each loop the numbers of the candidates that hold there. They are asserted from here on.
pub(crate) fn keep_inductive(encoder: &mut Encoder<'_>) -> Result<BTreeMap<usize, Vec<usize>>, Stop> {
    for (index, trial) in encoder.trials.iter_mut().enumerate() {
        // A constant, because not every solver can evaluate a term with quantifiers in a model.
        let violated = encoder.session.declare(&format!("violated.{index}"), &SmtSort::Bool);
        encoder.session.assert(&violated.implies(&trial.violated));
        trial.violated = violated;
    }
    let mut alive: Vec<usize> = (0..encoder.trials.len()).collect();
    while !alive.is_empty() {
        let dropped = violated_together(encoder, &alive)?;
        if dropped.is_empty() {
            break;
        }
        alive.retain(|trial| !dropped.contains(trial));
    }
    let mut kept: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, node) in encoder.graph.nodes.iter().enumerate() {
        if node.head.is_some() {
            kept.insert(number, Vec::new());
        }
    }
    for trial in alive.iter().map(|&index| &encoder.trials[index]) {
        encoder.session.assert(&trial.on);
        kept.entry(trial.node).or_default().push(trial.candidate);
    }
    Ok(kept)
}

/// The loops that no run comes to, once what holds at loops is known.
pub(crate) fn unreached_loops(encoder: &mut Encoder<'_>) -> Result<BTreeSet<usize>, Stop> {
    let mut unreached = BTreeSet::new();
    for (number, _) in encoder.graph.nodes.iter().enumerate().filter(|(_, node)| node.head.is_some()) {
        let comes = encoder.states[number].at.clone();
        encoder.session.push();
        encoder.session.assert(&comes);
        if encoder.session.check() == Ok(Answer::Unsat) {
            unreached.insert(number);
        }
        encoder.session.pop();
    }
    Ok(unreached)
}

/// Candidates that some run violates while all are assumed; none if they keep themselves.
fn violated_together(encoder: &mut Encoder<'_>, alive: &[usize]) -> Result<Vec<usize>, Stop> {
    let trials = &encoder.trials;
    let assumed: Vec<Term> = alive.iter().map(|&index| trials[index].on.clone()).collect();
    let violated: Vec<Term> = alive.iter().map(|&index| trials[index].violated.clone()).collect();
    let dropped = violated_candidates(encoder.session, &assumed, &violated, true)?;
    Ok(dropped.into_iter().map(|position| alive[position]).collect())
}

/// Which of these constants, each of which says that a candidate is violated, are not certain to be false under
/// the assumptions: some of them, if there are any. All of them where the solver takes too long and
/// there is no patience.
pub(crate) fn violated_candidates(
    session: &mut Session,
    assumed: &[Term],
    violated: &[Term],
    patient: bool,
) -> Result<Vec<usize>, SolverError> {
    session.push();
    assumed.iter().for_each(|term| session.assert(term));
    session.push();
    session.assert(&Term::any(violated));
    let result = match session.check() {
        Ok(Answer::Unsat) => Ok(Vec::new()),
        Ok(Answer::Sat) => session.values(violated).map(|values| {
            let truths = values.iter().enumerate().filter(|(_, value)| value.scalar() != Some(0));
            truths.map(|(position, _)| position).collect()
        }),
        Err(_) if !patient => Ok((0..violated.len()).collect()),
        // No model to go by: ask for each of them, and drop what is not certain.
        Ok(Answer::Unknown(_)) | Err(_) => {
            let mut dropped = Vec::new();
            session.pop();
            session.push();
            let mut goes_on = true;
            for (position, violated) in violated.iter().enumerate() {
                session.push();
                session.assert(violated);
                let answer = if goes_on { session.check() } else { Ok(Answer::Sat) };
                goes_on &= patient || answer.is_ok();
                if answer != Ok(Answer::Unsat) {
                    dropped.push(position);
                }
                session.pop();
            }
            Ok(dropped)
        }
    };
    session.pop();
    session.pop();
    result
}
