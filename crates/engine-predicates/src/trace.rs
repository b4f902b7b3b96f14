//! From a path that the solver finds feasible to a trace that has been run on the semantics.

use crate::words::state_with;
use crate::{Counters, Found};
use std::time::Duration;
use threadwise_claims::violation_in;
use threadwise_evidence::{Trace, TraceStep, Violation};
use threadwise_ir::{State, ThreadId};
use threadwise_limits::Budget;
use threadwise_logic::{Sexp, Term, Var};
use threadwise_solver::{Answer, Session, Settings, SolverCommand, SolverError};
use threadwise_space::{Space, Step};

/// The most time that a question about a path may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Starts a conversation about paths.
pub(crate) fn session(command: &SolverCommand, budget: &Budget) -> Result<Session, SolverError> {
    Session::start(command, Settings { timeout: PATIENCE, ..Settings::default() }, budget)
}

/// The name of a variable at a time of a path.
pub(crate) fn name_at(space: &Space, var: Var, time: usize) -> String {
    let count = space.count();
    match var.index() {
        index if index < count => format!("v{index}_{time}"),
        index if index < 2 * count => format!("v{}_{}", index - count, time + 1),
        index => format!("c{index}_{time}"),
    }
}

/// A variable at a time of a path.
fn var_at(space: &Space, var: Var, time: usize) -> Term {
    Term::constant(&name_at(space, var, time), space.smt_sort(var))
}

/// Asserts a formula about a step, at a time of a path.
pub(crate) fn assert_at(session: &mut Session, space: &Space, formula: &Term, time: usize) {
    session.assert_with(formula, &|var: Var| name_at(space, var, time));
}

/// Declares the variables at a time, and the choices of the step from there.
pub(crate) fn declare(space: &Space, session: &mut Session, time: usize) {
    let choices = || (2 * space.count() as u32..space.end()).map(Var);
    for var in space.variables().chain(choices()) {
        session.declare_all([&var_at(space, var, time)]);
    }
    assert_at(session, space, &Term::all(space.variables().map(|var| space.typed(var))), time);
    assert_at(session, space, &Term::all(choices().map(|var| space.typed(var))), time);
}

/// The values of all variables at a time, in the model of the last query; `None` where a number does
/// not fit 64 bits.
pub(crate) fn values(space: &Space, session: &mut Session, time: usize) -> Result<Option<Vec<i64>>, SolverError> {
    let names: Vec<Term> = space.variables().map(|var| var_at(space, var, time)).collect();
    let values = session.values(&names)?;
    Ok(values.iter().map(Sexp::scalar).collect())
}

/// The trace along a path to an error, if the path is feasible.
pub(crate) fn along(
    space: &Space,
    path: &[&Step],
    command: &SolverCommand,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Option<Found>, SolverError> {
    let mut session = session(command, budget)?;
    declare(space, &mut session, 0);
    assert_at(&mut session, space, &space.init(), 0);
    for (time, step) in path.iter().enumerate() {
        declare(space, &mut session, time + 1);
        assert_at(&mut session, space, &step.relation(space), time);
    }
    for error in &space.errors {
        session.push();
        assert_at(&mut session, space, &error.formula, path.len());
        counters.solver_calls += 1;
        let answer = session.check()?;
        if answer == Answer::Sat {
            let mut states = Vec::new();
            for time in 0..=path.len() {
                match values(space, &mut session, time)? {
                    Some(values) => states.push(state_with(space, &values)),
                    None => return Ok(Some(Found::Nothing("a trace needs numbers of more than 64 bits".to_string()))),
                }
            }
            return Ok(Some(confirmed(space, &states, path)));
        }
        session.pop();
    }
    Ok(None)
}

/// The trace through these states, run on the semantics.
pub(crate) fn confirmed(space: &Space, states: &[State], path: &[&Step]) -> Found {
    let instance = &space.instance;
    let mut steps = Vec::new();
    for (step, after) in path.iter().zip(&states[1..]) {
        let local = after.locals[step.thread.index()].clone();
        steps.push(TraceStep { thread: step.thread, path: step.path.clone(), shared: after.shared.clone(), local });
    }
    for (index, step) in steps.iter().enumerate() {
        let before = &states[index];
        let wanted = [&step.shared[..], &step.local[..]].concat();
        let local = &before.locals[step.thread.index()];
        let possible = instance.steps_toward(step.thread, &before.shared, local, &wanted);
        let agrees =
            possible.successors.iter().any(|s| s.path == step.path && s.shared == step.shared && s.local == step.local);
        if !agrees {
            return Found::Nothing("an error was found whose trace the semantics cannot confirm".to_string());
        }
    }
    let last = states.last().expect("there is an initial state");
    match violation_in(instance, last) {
        Some(violation) => {
            Found::Trace(Trace { any_copies: 0.into(), initial: Some(states[0].clone()), steps, violation })
        }
        None => Found::Nothing("an error was found that the semantics does not confirm".to_string()),
    }
}

/// An error in the initial values, or in a declaration at the start of a thread.
pub(crate) fn error_at_the_start(
    space: &Space,
    command: &SolverCommand,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Option<Found>, SolverError> {
    let mut faults = vec![space.initially.goes_wrong()];
    faults.extend(space.threads.iter().map(|thread| thread.start_fault.clone()));
    if faults.iter().all(|fault| fault.is_false()) {
        return Ok(None);
    }
    let mut session = session(command, budget)?;
    declare(space, &mut session, 0);
    assert_at(&mut session, space, &Term::any(faults), 0);
    counters.solver_calls += 1;
    if session.check()? == Answer::Unsat {
        return Ok(None);
    }
    let initial = space.instance.initial_stores();
    let trace = |violation| Trace { any_copies: 0.into(), initial: None, steps: Vec::new(), violation };
    if let Some((fault, span)) = initial.faults.first() {
        return Ok(Some(Found::Trace(trace(Violation::Initial(*fault, *span)))));
    }
    for store in &initial.stores {
        for thread in (0..space.threads.len() as u32).map(ThreadId) {
            if let Some(failure) = space.instance.starts(thread, store).failures.first() {
                let (error, span) = (failure.error, failure.span);
                return Ok(Some(Found::Trace(trace(Violation::Start { thread, error, span }))));
            }
        }
    }
    Ok(Some(Found::Nothing("the start may go wrong in a way that the semantics cannot confirm".to_string())))
}
