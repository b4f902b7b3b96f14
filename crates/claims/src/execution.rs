//! What the semantics says about states that an engine has found. For engines: those who judge look for themselves.

use threadwise_evidence::{TraceStep, Violation};
use threadwise_ir::{Broken, Instance, State, ThreadId};

/// An error in a state, if there is one.
pub fn violation_in(instance: &Instance, state: &State) -> Option<Violation> {
    for thread in (0..instance.threads.len() as u32).map(ThreadId) {
        if let Some(failure) = state.steps(instance, thread).failures.into_iter().next() {
            let (path, error, span) = (failure.path, failure.error, failure.span);
            return Some(Violation::Step { thread, path, error, span });
        }
    }
    let shown = &mut |thread| state.steps(instance, thread).shown;
    let broken = instance.broken_properties(&state.shared, &state.locals, shown);
    Some(match *broken.first()? {
        Broken::Property(id) => Violation::Property(id),
        Broken::Fault(id, fault, span) => Violation::PropertyFault(id, fault, span),
    })
}

/// The thread's shortest step from one state to another; `None` if it has none.
pub fn step_between(instance: &Instance, before: &State, thread: ThreadId, after: &State) -> Option<TraceStep> {
    let local = &after.locals[thread.index()];
    let found = before.steps(instance, thread).successors.into_iter();
    let step = found.filter(|s| s.shared == after.shared && s.local == *local).min_by_key(|s| s.path.len())?;
    Some(TraceStep { thread, path: step.path, shared: step.shared, local: step.local })
}
