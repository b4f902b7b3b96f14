use crate::ReplayError;
use threadwise_evidence::{Trace, TraceStep, Violation, show_local, show_shared, step_span, violation_info};
use threadwise_ir::{Broken, Instance, State, Steps, Store, ThreadId};

/// A trace that has been confirmed, step by step. Only [`replay`] makes it.
#[derive(Clone, Debug)]
pub struct ReplayedTrace {
    instance: Instance,
    trace: Trace,
    last: Option<State>,
}

impl ReplayedTrace {
    /// The program with the number of threads that the trace is about.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The state that is in error; `None` if already the initial values are.
    pub fn last_state(&self) -> Option<&State> {
        self.last.as_ref()
    }
}

/// Confirms that the program can run as the trace says and that its last state is in error.
pub fn replay(instance: &Instance, trace: &Trace) -> Result<ReplayedTrace, ReplayError> {
    if trace.any_copies != instance.any_copies() && instance.program.has_any_copies() {
        let (said, given) = (&trace.any_copies, instance.any_copies());
        return Err(ReplayError::new(format!("the trace is about {said} copies of each `[*]` thread, not {given}")));
    }
    let last = match &trace.initial {
        Some(initial) => Some(run(instance, initial, &trace.steps)?),
        None if trace.steps.is_empty() => None,
        None => {
            return Err(ReplayError::new("the trace has steps but does not say where it starts"));
        }
    };
    confirm_violation(instance, last.as_ref(), trace)?;
    Ok(ReplayedTrace { instance: instance.clone(), trace: trace.clone(), last })
}

/// The state in which the steps end.
fn run(instance: &Instance, initial: &State, steps: &[TraceStep]) -> Result<State, ReplayError> {
    confirm_initial(instance, initial)?;
    let mut state = initial.clone();
    for (index, step) in steps.iter().enumerate() {
        take(instance, &mut state, step).map_err(|e| e.at_step(index).at_place(instance, step_span(instance, step)))?;
    }
    Ok(state)
}

fn confirm_initial(instance: &Instance, state: &State) -> Result<(), ReplayError> {
    if !instance.is_initial(&state.shared) {
        let shown = shown_if_sized(instance, &state.shared);
        return Err(ReplayError::new(format!("the program does not start with {shown}")));
    }
    if state.locals.len() != instance.threads.len() {
        let (said, are) = (state.locals.len(), instance.threads.len());
        return Err(ReplayError::new(format!("the trace has {said} threads, the program {are}")));
    }
    for (index, local) in state.locals.iter().enumerate() {
        let thread = ThreadId(index as u32);
        let starts = instance.starts_toward(thread, &state.shared, local);
        if !starts.successors.iter().any(|start| start.local == *local && start.shared == state.shared) {
            let name = instance.tid_name(index as i64 + 1);
            return Err(ReplayError::new(format!("{name} does not start in the local state that the trace gives")));
        }
    }
    Ok(())
}

/// A store is shown only if it has the right number of words: traces may be made up.
fn shown_if_sized(instance: &Instance, shared: &Store) -> String {
    if shared.len() == instance.shared_words() {
        format!("the values {}", show_shared(instance, shared))
    } else {
        format!("{} words of shared store", shared.len())
    }
}

/// Takes one step, if the semantics has it.
fn take(instance: &Instance, state: &mut State, step: &TraceStep) -> Result<(), ReplayError> {
    if step.thread.index() >= instance.threads.len() {
        return Err(ReplayError::new("the program has no such thread"));
    }
    // Where a step may choose any integer, the one that the trace says is in one of its stores.
    let wanted = [&step.shared[..], &step.local[..]].concat();
    let local = &state.locals[step.thread.index()];
    let steps = instance.steps_toward(step.thread, &state.shared, local, &wanted);
    let agrees =
        |s: &&threadwise_ir::Successor| s.path == step.path && s.shared == step.shared && s.local == step.local;
    let Some(found) = steps.successors.iter().find(agrees) else {
        return Err(ReplayError::new(what_differs(instance, &steps, step)));
    };
    state.shared = found.shared.clone();
    state.locals[step.thread.index()] = found.local.clone();
    Ok(())
}

/// Why none of the thread's possible steps is the one that the trace says.
fn what_differs(instance: &Instance, steps: &Steps, step: &TraceStep) -> String {
    let name = instance.tid_name(i64::from(step.thread.0) + 1);
    let same_edges: Vec<_> = steps.successors.iter().filter(|s| s.path == step.path).collect();
    let Some(possible) = same_edges.first() else {
        return format!("{name} cannot take this step here");
    };
    if same_edges.iter().any(|s| s.shared == step.shared) {
        return format!("after this step {name} is {}, not as the trace says", show_local(instance, &possible.local));
    }
    let values = show_shared(instance, &possible.shared);
    let said = shown_if_sized(instance, &step.shared);
    match same_edges.len() {
        1 => format!("this step of {name} leads to the values {values}, but the trace says {said}"),
        n => format!("this step of {name} has {n} outcomes, but none with {said}"),
    }
}

fn confirm_violation(instance: &Instance, last: Option<&State>, trace: &Trace) -> Result<(), ReplayError> {
    let present = match (&trace.violation, last) {
        (Violation::Initial(fault, span), None) => instance.initial_stores().faults.contains(&(*fault, *span)),
        (Violation::Start { thread, error, span }, _) => {
            // Where a declaration goes wrong the thread may have no local state to start in, so
            // that there is no whole state to show.
            trace.steps.is_empty()
                && thread.index() < instance.threads.len()
                && instance.initial_stores().stores.iter().any(|shared| {
                    let failures = instance.starts(*thread, shared).failures;
                    failures.iter().any(|f| f.error == *error && f.span == *span)
                })
        }
        (Violation::Step { thread, path, error, span }, Some(state)) => {
            thread.index() < instance.threads.len()
                && next_steps(instance, state, *thread)
                    .failures
                    .iter()
                    .any(|f| f.path == *path && f.error == *error && f.span == *span)
        }
        (Violation::Property(id), Some(state)) => broken(instance, state).contains(&Broken::Property(*id)),
        (Violation::PropertyFault(id, fault, span), Some(state)) => {
            broken(instance, state).contains(&Broken::Fault(*id, *fault, *span))
        }
        _ => false,
    };
    if present {
        return Ok(());
    }
    let after = if trace.steps.is_empty() { "in the initial state" } else { "after the last step" };
    let info = violation_info(instance, &trace.violation);
    let message = format!("there is no {} error `{}` {after}", info.kind, info.property);
    Err(ReplayError::new(message).at_place(instance, Some(info.span)))
}

fn broken(instance: &Instance, state: &State) -> Vec<Broken> {
    let mut shown = |thread| next_steps(instance, state, thread).shown;
    instance.broken_properties(&state.shared, &state.locals, &mut shown)
}

/// What a thread can do next. A trace does not say which values a step chooses that goes wrong: those that the program
/// compares something with are tried, beside the usual ones.
fn next_steps(instance: &Instance, state: &State, thread: ThreadId) -> Steps {
    let wanted = instance.program.compared_integers();
    instance.steps_toward(thread, &state.shared, &state.locals[thread.index()], &wanted)
}
