//! Questions to a solver, each of which must be answered with yes.

use crate::{CheckError, refuted};
use threadwise_limits::Budget;
use threadwise_logic::Term;
use threadwise_solver::{Answer, Session, Settings, SolverError, find};
use threadwise_symbolic::Unsupported;

/// A conversation with a solver.
pub(crate) struct Questions {
    session: Session,
}

/// Constants.
pub(crate) type Constants = [Term];

impl Questions {
    /// Starts a solver.
    pub(crate) fn start(budget: &Budget) -> Result<Questions, CheckError> {
        let command = find(None).map_err(unanswered)?;
        let session = Session::start(&command, Settings::default(), budget).map_err(unanswered)?;
        Ok(Questions { session })
    }

    /// To say what is to be known in all questions.
    pub(crate) fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Whether, whatever the constants are, the conclusion follows; `what` says so if not.
    pub(crate) fn follows(
        &mut self,
        constants: &[&Constants],
        premises: &[&Term],
        conclusion: &Term,
        what: impl Fn() -> String,
    ) -> Result<(), CheckError> {
        self.session.push();
        self.session.declare_all(constants.iter().flat_map(|list| list.iter()));
        premises.iter().for_each(|premise| self.session.assert(premise));
        self.session.assert(&conclusion.not());
        let answer = self.session.check();
        self.session.pop();
        match answer.map_err(unanswered)? {
            Answer::Unsat => Ok(()),
            Answer::Sat => Err(refuted(what())),
            Answer::Unknown(why) => Err(CheckError::Undecided(format!("the solver does not know ({why})"))),
        }
    }
}

fn unanswered(error: SolverError) -> CheckError {
    match error {
        SolverError::Limit(limit) => CheckError::Limit(limit),
        SolverError::Protocol(what) => refuted(format!("the solver does not understand a formula: {what}")),
        other => CheckError::Undecided(other.to_string()),
    }
}

/// What cannot be told to the solver cannot be judged.
pub(crate) fn unsupported(unsupported: Unsupported) -> CheckError {
    refuted(format!("{} cannot be told to a solver", unsupported.what))
}
