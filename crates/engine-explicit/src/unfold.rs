//! Turns a trace of the folded program into one of the program itself.
//!
//! The two programs have the same locations and edges. A folded step takes the edges of one or more
//! steps of the program, all by one thread; in between, other threads do not move. What differs
//! beside is that dead locals are cleared in the folded program.

use threadwise_evidence::{Trace, TraceStep};
use threadwise_ir::{EdgeId, Instance, State, Store, Successor, ThreadId};

/// The trace of `instance` that does what `trace` does in `folded`.
pub(crate) fn unfold(instance: &Instance, folded: &Instance, trace: &Trace) -> Option<Trace> {
    let Some(target) = &trace.initial else { return Some(trace.clone()) };
    let mut unfolding = Unfolding { instance, folded, locals: Vec::new(), steps: Vec::new() };
    let mut shared = target.shared.clone();
    let mut first_steps = Vec::new();
    for thread in (0..instance.threads.len() as u32).map(ThreadId) {
        let local = &target.locals[thread.index()];
        let path = folded.starts(thread, &shared).successors.into_iter().find(|s| s.local == *local)?.path;
        let (start, steps) = unfolding.start(thread, &path, &shared, local)?;
        unfolding.locals.push(start);
        first_steps.extend(steps);
    }
    let initial = State { shared: shared.clone(), locals: unfolding.locals.clone() };
    first_steps.into_iter().for_each(|step| unfolding.take(step));
    for step in &trace.steps {
        let steps = unfolding.steps_along(step.thread, &step.path, &shared, &step.shared, &step.local)?;
        shared = step.shared.clone();
        steps.into_iter().for_each(|step| unfolding.take(step));
    }
    // Folded steps cannot fail, so the step that does is one of the program's own.
    let violation = trace.violation.clone();
    Some(Trace { any_copies: trace.any_copies.clone(), initial: Some(initial), steps: unfolding.steps, violation })
}

struct Unfolding<'a> {
    instance: &'a Instance,
    folded: &'a Instance,
    locals: Vec<Store>,
    steps: Vec<TraceStep>,
}

impl Unfolding<'_> {
    fn take(&mut self, step: TraceStep) {
        self.locals[step.thread.index()] = step.local.clone();
        self.steps.push(step);
    }

    /// A start of the thread and the steps from it that together take the edges of `path`.
    fn start(
        &self,
        thread: ThreadId,
        path: &[EdgeId],
        shared: &Store,
        local: &Store,
    ) -> Option<(Store, Vec<TraceStep>)> {
        self.instance.starts(thread, shared).successors.into_iter().find_map(|start| {
            let rest = path.strip_prefix(&start.path[..])?;
            let steps = self.search(thread, rest, shared, &start.local, shared, local)?;
            Some((start.local, steps))
        })
    }

    fn steps_along(
        &self,
        thread: ThreadId,
        path: &[EdgeId],
        from: &Store,
        shared: &Store,
        local: &Store,
    ) -> Option<Vec<TraceStep>> {
        self.search(thread, path, from, &self.locals[thread.index()], shared, local)
    }

    /// Steps that take just the edges of `path` and end in the given shared store and, but for dead
    /// locals, local state.
    fn search(
        &self,
        thread: ThreadId,
        path: &[EdgeId],
        from: &Store,
        from_local: &Store,
        to: &Store,
        to_local: &Store,
    ) -> Option<Vec<TraceStep>> {
        if path.is_empty() {
            let agrees = from == to && self.folded.without_dead_locals(from_local) == **to_local;
            return agrees.then(Vec::new);
        }
        self.instance.steps(thread, from, from_local).successors.into_iter().find_map(|next: Successor| {
            let rest = path.strip_prefix(&next.path[..])?;
            let mut steps = self.search(thread, rest, &next.shared, &next.local, to, to_local)?;
            steps.insert(0, TraceStep { thread, path: next.path, shared: next.shared, local: next.local });
            Some(steps)
        })
    }
}
