//! Questions to the solver that have been answered before are not asked again: restarts ask the same ones
//! over and over.

use std::collections::HashMap;
use threadwise_logic::Formula;
use threadwise_solver::{Answer, Session, SolverError, Term};
use threadwise_symbolic::Space;

/// What is known of one premise.
#[derive(Default)]
struct Known {
    /// Whether it can hold at all.
    possible: bool,
    /// Which formulas it implies, or the negations of which.
    implied: HashMap<Formula, Option<bool>>,
}

/// All answers so far.
#[derive(Default)]
pub(crate) struct Memory {
    known: HashMap<Formula, Known>,
}

impl Memory {
    /// For each formula whether it follows from the premise, or its negation does, or neither; `None` if the
    /// premise cannot hold.
    pub(crate) fn implied(
        &mut self,
        space: &Space,
        session: &mut Session,
        premise: &Formula,
        formulas: &[Formula],
    ) -> Result<Option<Vec<Option<bool>>>, SolverError> {
        let missing: Vec<Formula> = match self.known.get(premise) {
            Some(known) if !known.possible => return Ok(None),
            Some(known) => formulas.iter().filter(|f| !known.implied.contains_key(f)).cloned().collect(),
            None => formulas.to_vec(),
        };
        if !missing.is_empty() || !self.known.contains_key(premise) {
            session.push();
            session.assert(&Term::raw(space.smt(premise)));
            let answers = ask(space, session, &missing);
            session.pop();
            let known = self.known.entry(premise.clone()).or_default();
            match answers? {
                None => return Ok(None),
                Some(answers) => {
                    known.possible = true;
                    known.implied.extend(missing.into_iter().zip(answers));
                }
            }
        }
        let known = &self.known[premise];
        Ok(Some(formulas.iter().map(|formula| known.implied.get(formula).copied().flatten()).collect()))
    }
}

/// A model of the premise shows for each formula which of the two cannot follow, so one question is left.
fn ask(space: &Space, session: &mut Session, formulas: &[Formula]) -> Result<Option<Vec<Option<bool>>>, SolverError> {
    let possible = session.check()?;
    if possible == Answer::Unsat {
        return Ok(None);
    }
    let terms: Vec<Term> = formulas.iter().map(|formula| Term::raw(space.smt(formula))).collect();
    let values = match possible {
        Answer::Sat => session.values(&terms)?.iter().map(|value| value.to_string() == "true").collect(),
        _ => vec![true; formulas.len()],
    };
    let mut implied = Vec::new();
    for (formula, value) in formulas.iter().zip(values) {
        let literal = if value { formula.clone() } else { formula.clone().negated() };
        let follows = session.refute(&Term::raw(space.smt(&literal)))? == Answer::Unsat;
        implied.push(follows.then_some(value));
    }
    Ok(Some(implied))
}
