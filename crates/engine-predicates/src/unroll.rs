//! Looks for the shortest trace to an error by unrolling steps: for where it is known that there is one.

use crate::trace::{assert_at, confirmed, declare, session, values};
use crate::words::state_with;
use crate::{Counters, Found};
use threadwise_limits::Budget;
use threadwise_logic::{Sexp, SmtSort, Term};
use threadwise_solver::{Answer, SolverCommand, SolverError};
use threadwise_space::{Space, Step};

/// Longer traces are not looked for.
const MAX_LENGTH: usize = 400;

/// The shortest trace to an error.
pub(crate) fn search(
    space: &Space,
    command: &SolverCommand,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Found, SolverError> {
    let steps: Vec<&Step> = space.threads.iter().flat_map(|thread| &thread.steps).collect();
    let relations: Vec<Term> = steps.iter().map(|step| step.relation(space)).collect();
    let error = Term::any(space.errors.iter().map(|error| error.formula.clone()));
    let mut session = session(command, budget)?;
    declare(space, &mut session, 0);
    assert_at(&mut session, space, &space.init(), 0);
    for length in 0..MAX_LENGTH {
        budget.report(|| format!("looking for a trace of {length} steps"));
        session.push();
        assert_at(&mut session, space, &error, length);
        counters.solver_calls += 1;
        if session.check()? == Answer::Sat {
            let names: Vec<Term> = (0..length).map(step_at).collect();
            let number = |value: &Sexp| value.scalar().and_then(|index| usize::try_from(index).ok());
            let taken: Option<Vec<usize>> = session.values(&names)?.iter().map(number).collect();
            let mut states = Vec::new();
            for time in 0..=length {
                let Some(values) = values(space, &mut session, time)? else {
                    return Ok(Found::Nothing("a trace needs numbers of more than 64 bits".to_string()));
                };
                states.push(state_with(space, &values));
            }
            let Some(taken) = taken else { break };
            let path: Vec<&Step> = taken.iter().filter_map(|index| steps.get(*index).copied()).collect();
            return Ok(confirmed(space, &states, &path));
        }
        session.pop();
        declare(space, &mut session, length + 1);
        session.declare_all([&step_at(length)]);
        let taken = relations
            .iter()
            .enumerate()
            .map(|(index, relation)| step_at(length).equals(Term::int(index as i64)).and(relation));
        assert_at(&mut session, space, &Term::any(taken), length);
    }
    Ok(Found::Nothing(format!("there is an error, but no trace of up to {MAX_LENGTH} steps")))
}

/// The number of the step that is taken at a time.
fn step_at(time: usize) -> Term {
    Term::constant(&format!("step_{time}"), SmtSort::Int)
}
