//! What the semantics says about states that an engine has found. For engines: those who judge look for themselves.

use threadwise_evidence::{TraceStep, Violation};
use threadwise_ir::{Broken, Instance, State, ThreadId};

/// An error in a state, if there is one.
pub fn violation_in(instance: &Instance, state: &State) -> Option<Violation> {
    violation_toward(instance, state, &[])
}

/// The same, where `wanted` is among the integers that are tried where any may be chosen.
pub fn violation_toward(instance: &Instance, state: &State, wanted: &[i64]) -> Option<Violation> {
    let steps = |thread: ThreadId| instance.steps_toward(thread, &state.shared, &state.locals[thread.index()], wanted);
    for thread in (0..instance.threads.len() as u32).map(ThreadId) {
        if let Some(failure) = steps(thread).failures.into_iter().next() {
            let (path, error, span) = (failure.path, failure.error, failure.span);
            return Some(Violation::Step { thread, path, error, span });
        }
    }
    let shown = &mut |thread| steps(thread).shown;
    let broken = instance.broken_properties(&state.shared, &state.locals, shown);
    Some(match *broken.first()? {
        Broken::Property(id) => Violation::Property(id),
        Broken::Fault(id, fault, span) => Violation::PropertyFault(id, fault, span),
    })
}

/// The thread's shortest step from one state to another; `None` if it has none.
pub fn step_between(instance: &Instance, before: &State, thread: ThreadId, after: &State) -> Option<TraceStep> {
    step_toward(instance, before, thread, after, &[])
}

/// The same, where `wanted` is among the integers that are tried where any may be chosen.
pub fn step_toward(
    instance: &Instance,
    before: &State,
    thread: ThreadId,
    after: &State,
    wanted: &[i64],
) -> Option<TraceStep> {
    let local = &after.locals[thread.index()];
    let steps = instance.steps_toward(thread, &before.shared, &before.locals[thread.index()], wanted);
    let found = steps.successors.into_iter();
    let step = found.filter(|s| s.shared == after.shared && s.local == *local).min_by_key(|s| s.path.len())?;
    Some(TraceStep { thread, path: step.path, shared: step.shared, local: step.local })
}
