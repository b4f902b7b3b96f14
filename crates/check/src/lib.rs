//! Judges proofs from scratch.
//!
//! [`check`] looks at a proof and at the program, and at nothing else: whatever engine wrote the
//! proof, none of its code runs here, and nothing it says is taken on trust. Everything the checker
//! knows about programs it asks of the semantics in `ir`. A [`CheckedProof`] is evidence that a
//! proof passed; only [`check`] makes it, and [`check_again`], which does not look again at what an edit of the program
//! leaves as it was.

mod again;
mod annotated;
mod block;
mod cartesian;
mod clauses;
mod conformance;
mod conformance_assertions;
mod coverability;
mod coverage;
mod cutoff;
mod desk;
mod folding;
mod formulas;
mod frontier;
mod glance;
mod hierarchy;
mod interner;
mod landing;
mod modular;
mod monotone;
mod order;
mod patterns;
mod predicate;
mod properties;
mod protection;
mod questions;
mod reachable;
mod roles;
mod schedules;
mod sets;
mod space;
mod viewpoint;

pub use again::{Remembered, can_be_remembered, check_again, check_and_remember};

use std::fmt;
use std::sync::Arc;
use threadwise_evidence::Proof;
use threadwise_ir::Program;
use threadwise_ir::patience::under;
use threadwise_limits::{Budget, Limit};

/// Evidence that a proof has been checked. Only [`check`], [`check_and_remember`] and [`check_again`] make it.
#[derive(Clone, Debug)]
pub struct CheckedProof {
    program: Arc<Program>,
    states: u64,
}

impl CheckedProof {
    /// The program that the proof is about.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// How many states the proof lists; of orbits, where it uses symmetry; of single threads, where
    /// it is about these; or how many products, where it has these instead.
    pub fn states(&self) -> u64 {
        self.states
    }
}

/// Why a proof was not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckError {
    /// It is no proof, for this reason.
    Refuted(String),
    /// There was no time or memory left to say.
    Limit(Limit),
    /// It cannot be said, because there is no solver or it gave no answer.
    Undecided(String),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Refuted(reason) => f.write_str(reason),
            CheckError::Undecided(reason) => write!(f, "the proof cannot be judged: {reason}"),
            CheckError::Limit(limit) => write!(f, "{limit} while checking the proof"),
        }
    }
}

impl std::error::Error for CheckError {}

impl From<Limit> for CheckError {
    fn from(limit: Limit) -> CheckError {
        CheckError::Limit(limit)
    }
}

fn refuted(reason: impl Into<String>) -> CheckError {
    CheckError::Refuted(reason.into())
}

/// Checks that a proof proves the program safe. A judge who was interrupted has not accepted it, whatever he says.
pub fn check(program: &Arc<Program>, proof: &Proof, budget: &Budget) -> Result<CheckedProof, CheckError> {
    let own = budget.clone();
    let (judged, interrupted) = under(move || own.check().is_ok(), || judge(program, proof, budget));
    match interrupted {
        true => Err(CheckError::Limit(budget.limit_met().unwrap_or(Limit::Interrupted))),
        false => judged,
    }
}

fn judge(program: &Arc<Program>, proof: &Proof, budget: &Budget) -> Result<CheckedProof, CheckError> {
    let states = match proof {
        Proof::Reachable(set) => reachable::check(program, set, budget)?,
        Proof::Modular(proof) => modular::check(program, proof, budget)?,
        Proof::Frontier(proof) => frontier::check(program, proof, budget)?,
        Proof::Cartesian(proof) => cartesian::check(program, proof, budget)?,
        Proof::Conformance(proof) => conformance::check(program, proof, budget)?,
        Proof::Formulas(proof) => formulas::check(program, proof, budget)?,
        Proof::Protection(proof) => protection::check(program, proof, budget)?,
        Proof::Hierarchy(proof) => hierarchy::check(program, proof, budget)?,
        Proof::Coverability(proof) => coverability::check(program, proof, budget)?,
        Proof::Schedules(proof) => schedules::check(program, proof, budget)?,
    };
    Ok(CheckedProof { program: program.clone(), states })
}
