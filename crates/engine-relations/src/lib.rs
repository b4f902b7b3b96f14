//! The engine `relations`: for each point of each thread, how numbers relate there, whoever else there is: linear equations,
//! comparisons, the program's own conditions, and what of these holds whenever a mutex is free, or a flag has a value.
//!
//! Owicki and Gries' annotations are looked for from below. Nothing is reached at first; a solver is asked for examples of
//! states that a step leads to, the thread's own or somebody else's, and of which something is said that does not hold.
//! What is said is weakened by each example, as little as possible, until there is none (Reps, Sagiv, Yorsh: *Symbolic
//! implementation of the best transformer*, 2004; Thakur, Elder, Reps: *Bilateral algorithms for symbolic abstraction*, 2012).
//! If nothing can go wrong then, what is said is a proof, for any number of copies, which a judge checks.

mod here;
mod language;
mod places;
mod proof;
mod search;

use language::Text;
use places::Map;
use search::{Error, Search};
use std::sync::Arc;
use threadwise_claims::{Advice, Claim, Stats, Unknown};
use threadwise_ir::Program;
use threadwise_limits::{Budget, Limit};
use threadwise_solver::{SolverError, find};
use threadwise_symbolic::{Population, Unsupported};

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

/// Why there is no proof.
#[derive(Debug)]
pub(crate) enum Stop {
    Solver(SolverError),
    Unsupported(Unsupported),
    TooLarge,
    Undecided,
}

impl From<SolverError> for Stop {
    fn from(error: SolverError) -> Stop {
        Stop::Solver(error)
    }
}

impl From<Unsupported> for Stop {
    fn from(what: Unsupported) -> Stop {
        Stop::Unsupported(what)
    }
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        Stop::Solver(SolverError::Limit(limit))
    }
}

/// Looks for a proof.
pub fn analyse(program: &Arc<Program>, budget: &Budget) -> (Claim, Stats) {
    let mut stats = Stats::default();
    let unknown = |reason: String| Claim::Unknown(Unknown { reason, advice: vec![Advice::UseAuto] });
    if let Err(reason) = applicable(program) {
        return (unknown(reason), stats);
    }
    let claim = match search(program, budget, &mut stats) {
        Ok(claim) => claim,
        Err(Stop::Solver(SolverError::Limit(limit))) => Claim::Unknown(Unknown::at_limit(limit)),
        Err(Stop::Solver(error)) => unknown(error.to_string()),
        Err(Stop::Unsupported(what)) => unknown(what.to_string()),
        Err(Stop::TooLarge) => unknown("there are too many points".to_string()),
        Err(Stop::Undecided) => unknown("the solver does not know what a step leads to".to_string()),
    };
    (claim, stats)
}

fn search(program: &Arc<Program>, budget: &Budget, stats: &mut Stats) -> Result<Claim, Stop> {
    let population = Population::any(program);
    let command = find(None)?;
    let map = Map::new(&population, budget)?;
    let mut reason = "there is no thread".to_string();
    // Much that could be said is in the way of what has to be, so little is said at first.
    for compares_all in [false, true] {
        let text = Text::new(program, compares_all);
        let mut search = Search::new(&map, &text, &command, budget)?;
        search.run()?;
        *stats = Stats::of(vec![("points", map.places.len() as u64), ("examples", search.examples)]);
        match search.error()? {
            None if map.places.is_empty() => break,
            None => return Ok(Claim::Proved(proof::proof(&search))),
            Some(error) => reason = describe(program, &error),
        }
    }
    Ok(Claim::Unknown(Unknown { reason, advice: vec![Advice::UseAuto] }))
}

fn describe(program: &Program, error: &Error) -> String {
    let at = |span| program.source.locate(span);
    match error {
        Error::Initial => "initial values may be in error".to_string(),
        Error::Start => "the start of a thread may be in error".to_string(),
        Error::Step(edge) => format!("it cannot exclude an error at {}", at(program.edge(*edge).span)),
        Error::Property(id) => {
            format!("it cannot exclude that the property at {} is violated", at(program.property(*id).span))
        }
    }
}
