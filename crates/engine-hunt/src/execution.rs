//! Executions as schedules: who moves, and which of its outcomes a step has.

use crate::machine::Machine;
use threadwise_claims::{step_toward, violation_toward};
use threadwise_evidence::Trace;
use threadwise_ir::{State, ThreadId};
use threadwise_limits::{Budget, Limit};

/// How many steps are taken between two looks at the budget.
const STEPS_PER_CHECK: usize = 1 << 8;

/// Who moves, and which of the outcomes its step has. Steps after it that are nobody else's concern belong to the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    pub(crate) thread: u32,
    pub(crate) choice: u32,
}

/// A schedule that leads to an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Execution {
    pub(crate) start: Vec<u32>,
    pub(crate) moves: Vec<Move>,
    /// How often a thread was stopped that could have gone on.
    pub(crate) preemptions: u32,
}

impl Execution {
    /// What is to be as small as possible.
    pub(crate) fn cost(&self) -> (u32, usize) {
        (self.preemptions, self.moves.len())
    }
}

/// Follows a schedule as far as it goes, until a state is in error: moves of threads that can take no step are left out,
/// and where there are not as many outcomes as the schedule thinks the last one is taken. Nothing, if there is no error.
pub(crate) fn follow(
    machine: &mut Machine<'_>,
    start: &[u32],
    schedule: impl Iterator<Item = Move>,
    budget: &Budget,
) -> Result<Option<Execution>, Limit> {
    let mut row = start.to_vec();
    let mut done = Execution { start: start.to_vec(), moves: Vec::new(), preemptions: 0 };
    let mut successors = Vec::new();
    if machine.is_wrong(&row) {
        return Ok(Some(done));
    }
    for (index, Move { thread, choice }) in schedule.enumerate() {
        if index.is_multiple_of(STEPS_PER_CHECK) {
            budget.check()?;
        }
        machine.successors(&row, thread as usize, &mut successors);
        let Some(last) = successors.len().checked_sub(1) else { continue };
        let choice = (choice as usize).min(last);
        if let Some(before) = done.moves.last()
            && before.thread != thread
            && machine.is_enabled(&row, before.thread as usize)
        {
            done.preemptions += 1;
        }
        (row[0], row[thread as usize + 1]) = successors[choice];
        done.moves.push(Move { thread, choice: choice as u32 });
        if machine.is_wrong(&row) {
            return Ok(Some(done));
        }
    }
    Ok(None)
}

/// The execution as evidence.
pub(crate) fn trace(machine: &mut Machine<'_>, execution: &Execution) -> Option<Trace> {
    let mut row = execution.start.clone();
    let mut state = state_of(machine, &row);
    let initial = state.clone();
    let mut steps = Vec::with_capacity(execution.moves.len());
    let (instance, wanted) = (machine.instance, &machine.facts.wanted);
    for &Move { thread, choice } in &execution.moves {
        for next in machine.passed(&row, thread as usize, choice as usize)? {
            (row[0], row[thread as usize + 1]) = next;
            let after = state_of(machine, &row);
            steps.push(step_toward(instance, &state, ThreadId(thread), &after, wanted)?);
            state = after;
        }
    }
    let violation = violation_toward(instance, &state, wanted)?;
    Some(Trace { any_copies: instance.any_copies(), initial: Some(initial), steps, violation })
}

fn state_of(machine: &Machine<'_>, row: &[u32]) -> State {
    let local = |(thread, &id): (usize, &u32)| {
        let template = machine.instance.threads[thread].template.index();
        machine.tables.locals[template].get(id).into()
    };
    State { shared: machine.tables.shared.get(row[0]).into(), locals: row[1..].iter().enumerate().map(local).collect() }
}
