//! A trace as rows of words, before it is laid out.

use crate::changes::{Change, local_changes, shared_changes};
use crate::statement::{Statement, statement};
use crate::uses::used_words;
use crate::violation::{Explanation, explain_named};
use std::collections::BTreeSet;
use threadwise_evidence::{
    Trace, TraceStep, Violation, for_each_shown, position, show_typed, shown_shared, step_words, with_names_of_threads,
};
use threadwise_ir::{
    EdgeId, Instance, LocalId, Op, Program, SharedId, SharedVar, State, ThreadId, Told, Update, VarRef,
};
use threadwise_source::Span;
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
    let instance = &with_names_of_threads(instance, trace);
    let mut steps = Vec::new();
    let mut state = trace.initial.clone();
    for step in &trace.steps {
        if let Some(state) = &mut state {
            steps.push(step_text(instance, state, step));
            state.shared = step.shared.clone();
            state.locals[step.thread.index()] = step.local.clone();
        }
    }
    let initial = trace.initial.as_ref().map(|state| with_initial_values(instance, state, trace.steps.first()));
    let used = used_words(instance, trace);
    TraceText {
        initial: initial.map_or_else(Vec::new, |state| initial_values(instance, &state, &used)),
        threads: threads(instance, trace),
        steps,
        explanation: explain_named(instance, trace),
    }
}

/// An execution that need not end in an error, in words; there is nothing to explain at its end.
pub fn execution_text(instance: &Instance, initial: &State, steps: &[TraceStep]) -> TraceText {
    let mut state = initial.clone();
    let mut told = Vec::new();
    for step in steps {
        told.push(step_text(instance, &state, step));
        state.shared = step.shared.clone();
        state.locals[step.thread.index()] = step.local.clone();
    }
    let threads: BTreeSet<ThreadId> = steps.iter().map(|step| step.thread).collect();
    let name = |thread: ThreadId| instance.tid_name(i64::from(thread.0) + 1);
    let all = (0..instance.shared_words()).collect();
    TraceText {
        initial: initial_values(instance, &with_initial_values(instance, initial, steps.first()), &all),
        threads: threads.into_iter().map(name).collect(),
        steps: told,
        explanation: Explanation::default(),
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

/// A step from this state in words.
pub fn step_text(instance: &Instance, before: &State, step: &TraceStep) -> StepText {
    let local = &before.locals[step.thread.index()];
    let begun = with_initial_values(instance, before, Some(step));
    let mut changes = shared_changes(instance, &begun.shared, &step.shared);
    let dropped = dropped(&instance.program, &step.path);
    changes.extend(local_changes(instance, local, &step.local, &dropped));
    let statements = match step_words(instance, Some(before), step.thread, &step.path, Some(step)) {
        Some(words) => vec![Statement { text: words.text, position: position(instance, words.span), span: words.span }],
        None => told(&instance.program, &step.path).into_iter().map(|id| statement(instance, id)).collect(),
    };
    StepText { thread: instance.tid_name(i64::from(step.thread.0) + 1), statements, changes }
}

/// The variables to which the step in which a program begins gives nothing but their initial values.
pub(crate) fn initialised(program: &Program, path: &[EdgeId]) -> BTreeSet<SharedId> {
    let Some(telling) = &program.telling else { return BTreeSet::new() };
    let (mut at_start, mut later) = (BTreeSet::new(), BTreeSet::new());
    for &id in path {
        let Op::Command(command) = &program.edge(id).op else { continue };
        let Update::Assign(assignments) = &command.update else { continue };
        let is_start = matches!(telling.edges.get(id.index()), Some(Told::Start));
        for (place, _) in assignments {
            match place.var {
                VarRef::Shared(var) if telling.shared.get(var.index()).is_some_and(|shown| shown.is_status) => {}
                VarRef::Shared(var) if is_start => drop(at_start.insert(var)),
                VarRef::Shared(var) => drop(later.insert(var)),
                VarRef::Local(_) => {}
            }
        }
    }
    &at_start - &later
}

/// A state with the initial values that the next step gives: a program has them from its start on, for all that its user knows.
fn with_initial_values(instance: &Instance, state: &State, next: Option<&TraceStep>) -> State {
    let mut state = state.clone();
    if let Some(step) = next {
        let mut words = state.shared.to_vec();
        for var in initialised(&instance.program, &step.path) {
            let range = instance.shared_range(var);
            words[range.clone()].copy_from_slice(&step.shared[range]);
        }
        state.shared = words.into();
    }
    state
}

/// The locals that get their defaults back because nobody needs them any more: what does so stands nowhere in the text.
fn dropped(program: &Program, path: &[EdgeId]) -> BTreeSet<LocalId> {
    let mut dropped = BTreeSet::new();
    for &id in path.iter().filter(|_| program.telling.is_some()) {
        let Op::Command(command) = &program.edge(id).op else { continue };
        let Update::Assign(assignments) = &command.update else { continue };
        for (place, _) in assignments {
            if let VarRef::Local(var) = place.var {
                let is_dropped = place.span == Span::default();
                if is_dropped {
                    dropped.insert(var)
                } else {
                    dropped.remove(&var)
                };
            }
        }
    }
    dropped
}

/// The edges of a step that are told of: those that stand for nothing in the text are not, and neither is all but the last
/// part of one statement.
fn told(program: &Program, path: &[EdgeId]) -> Vec<EdgeId> {
    let has_text = |id: &EdgeId| program.edge(*id).span.start < program.edge(*id).span.end;
    let shown: Vec<EdgeId> = path.iter().copied().filter(has_text).collect();
    if shown.is_empty() {
        return path.last().copied().into_iter().collect();
    }
    let next = shown.iter().skip(1).map(|&id| Some(id)).chain([None]);
    let is_told =
        |&(&id, next): &(&EdgeId, Option<EdgeId>)| next.is_none_or(|next| !program.are_one_statement(id, next));
    shown.iter().zip(next).filter(is_told).map(|(&id, _)| id).collect()
}

/// The values of what the user declared and the trace uses; that no thread has been started yet goes without saying.
fn initial_values(instance: &Instance, state: &State, used: &BTreeSet<usize>) -> Vec<String> {
    let mut values = Vec::new();
    for (var, number) in instance.program.shared.iter().zip(0..) {
        let id = SharedId(number);
        if !is_shown_at_start(instance, id, var) {
            continue;
        }
        let shown = shown_shared(instance, id);
        let mut word = instance.shared_range(id).start;
        let words = &state.shared[instance.shared_range(id)];
        for_each_shown(instance, (&var.name, shown), &var.sort, words, &mut |name, sort, w| {
            if used.range(word..word + w.len().max(1)).next().is_some() {
                values.push(format!("{name} == {}", show_typed(instance, shown, sort, w)));
            }
            word += w.len();
        });
    }
    if values.len() > MAX_INITIAL_VALUES {
        let more = values.len() - MAX_INITIAL_VALUES;
        values.truncate(MAX_INITIAL_VALUES);
        values.push(format!("and {more} more"));
    }
    values
}

fn is_shown_at_start(instance: &Instance, id: SharedId, var: &SharedVar) -> bool {
    match shown_shared(instance, id) {
        // What is on the heap is not there yet.
        // Texts say what they are.
        Some(shown) => !shown.is_hidden && !shown.is_status && shown.pool.is_none() && !var.name.starts_with('"'),
        None => !tells_of_starts(&instance.program, var),
    }
}
