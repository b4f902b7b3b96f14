//! Questions to a solver, each of which must be answered with yes.

use crate::{CheckError, refuted};
use threadwise_limits::Budget;
use threadwise_logic::Term;
use threadwise_solver::{Answer, Session, Settings, SolverError, find};
use threadwise_symbolic::Unsupported;

impl From<SolverError> for CheckError {
    fn from(error: SolverError) -> CheckError {
        match error {
            SolverError::Limit(limit) => CheckError::Limit(limit),
            other => CheckError::Undecided(other.to_string()),
        }
    }
}

/// A conversation with a solver.
pub(crate) fn start(settings: Settings, budget: &Budget) -> Result<Session, CheckError> {
    Ok(Session::start(&find(None)?, settings, budget)?)
}

/// Whether there is no model of what has been asserted; `what` says so if there is one.
pub(crate) fn must_be_impossible(session: &mut Session, what: impl FnOnce() -> String) -> Result<(), CheckError> {
    match session.check()? {
        Answer::Unsat => Ok(()),
        Answer::Sat => Err(refuted(what())),
        Answer::Unknown(why) => Err(CheckError::Undecided(format!("the solver does not know ({why})"))),
    }
}

/// Constants.
pub(crate) type Constants = [Term];

/// Whether, whatever the constants are, the conclusion follows; `what` says so if not.
pub(crate) fn must_follow(
    session: &mut Session,
    constants: &[&Constants],
    premises: &[&Term],
    conclusion: &Term,
    what: impl FnOnce() -> String,
) -> Result<(), CheckError> {
    session.push();
    session.declare_all(constants.iter().flat_map(|list| list.iter()));
    premises.iter().for_each(|premise| session.assert(premise));
    session.assert(&conclusion.not());
    let answer = must_be_impossible(session, what);
    session.pop();
    answer
}

/// What cannot be told to the solver cannot be judged.
pub(crate) fn unsupported(unsupported: Unsupported) -> CheckError {
    refuted(format!("{} cannot be told to a solver", unsupported.what))
}
