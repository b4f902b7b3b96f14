//! A trace as rows of words, before it is laid out.

use crate::changes::{Change, local_changes, shared_changes};
use crate::statement::{Statement, statement};
use crate::value::for_each_part;
use crate::violation::{Explanation, explain};
use threadwise_evidence::{Trace, TraceStep, Violation, show_value};
use threadwise_ir::{AssertionKind, EdgeId, Instance, Op, Program, SharedId, State, ThreadId};
use threadwise_spawn::tells_of_starts;

/// Initial values beyond this many are not listed.
const MAX_INITIAL_VALUES: usize = 16;

/// A trace in words.
#[derive(Clone, Debug)]
pub struct TraceText {
    /// The initial values of the shared variables: `x == 1`.
    pub initial: Vec<String>,
    /// The threads that take part, in order of declaration.
    pub threads: Vec<String>,
    /// The steps in order.
    pub steps: Vec<StepText>,
    /// The error at the end.
    pub explanation: Explanation,
}

/// A step in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepText {
    /// Who takes it: `P`, `W[2]`.
    pub thread: String,
    /// What is executed; several statements if the step is an atomic block.
    pub statements: Vec<Statement>,
    /// What it changed, shared variables first.
    pub changes: Vec<Change>,
}

/// Puts a trace into words.
pub fn trace_text(instance: &Instance, trace: &Trace) -> TraceText {
    let mut steps = Vec::new();
    let mut state = trace.initial.clone();
    for step in &trace.steps {
        if let Some(state) = &mut state {
            steps.push(step_text(instance, state, step));
            state.shared = step.shared.clone();
            state.locals[step.thread.index()] = step.local.clone();
        }
    }
    let initial = trace.initial.as_ref();
    TraceText {
        initial: initial.map_or_else(Vec::new, |state| initial_values(instance, state)),
        threads: threads(instance, trace),
        steps,
        explanation: explain(instance, trace),
    }
}

fn threads(instance: &Instance, trace: &Trace) -> Vec<String> {
    let mut threads: Vec<ThreadId> = trace.steps.iter().map(|step| step.thread).collect();
    if let Violation::Step { thread, .. } = trace.violation {
        threads.push(thread);
    }
    threads.sort();
    threads.dedup();
    let name = |thread: ThreadId| instance.tid_name(i64::from(thread.0) + 1);
    threads.into_iter().map(name).collect()
}

fn step_text(instance: &Instance, before: &State, step: &TraceStep) -> StepText {
    let local = &before.locals[step.thread.index()];
    let mut changes = shared_changes(instance, &before.shared, &step.shared);
    changes.extend(local_changes(instance, local, &step.local));
    let program = &instance.program;
    let next = step.path.iter().skip(1).map(|&id| Some(id)).chain([None]);
    let told = step.path.iter().zip(next).filter(|&(&id, next)| !is_first_half(program, id, next));
    let statements = told.map(|(&id, _)| statement(program, id));
    StepText { thread: instance.tid_name(i64::from(step.thread.0) + 1), statements: statements.collect(), changes }
}

/// Whether an edge is the first half of a start or of a join, which needs no words of its own.
fn is_first_half(program: &Program, id: EdgeId, next: Option<EdgeId>) -> bool {
    let Some(next) = next.filter(|&next| program.edge(next).span == program.edge(id).span) else { return false };
    let asserts = |id: EdgeId, kind: AssertionKind| match &program.edge(id).op {
        Op::Command(command) => command.assertions.iter().any(|assertion| assertion.kind == kind),
        Op::Call { .. } | Op::Return(_) => false,
    };
    asserts(id, AssertionKind::Start) || asserts(next, AssertionKind::Join) && !asserts(id, AssertionKind::Join)
}

/// The values of what the user declared; that no thread has been started yet goes without saying.
fn initial_values(instance: &Instance, state: &State) -> Vec<String> {
    let mut values = Vec::new();
    let program = &instance.program;
    let declared = program.shared.iter().enumerate().filter(|(_, var)| !tells_of_starts(program, var));
    for (index, var) in declared {
        let words = &state.shared[instance.shared_range(SharedId(index as u32))];
        for_each_part(instance, &var.name, &var.sort, words, &mut |name, sort, w| {
            values.push(format!("{name} == {}", show_value(instance, sort, w)));
        });
    }
    if values.len() > MAX_INITIAL_VALUES {
        let more = values.len() - MAX_INITIAL_VALUES;
        values.truncate(MAX_INITIAL_VALUES);
        values.push(format!("and {more} more"));
    }
    values
}
