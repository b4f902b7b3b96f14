//! A search for small programs that is slow and obvious.

use std::collections::{BTreeMap, VecDeque};
use threadwise_evidence::{Trace, TraceStep, Violation};
use threadwise_ir::{Broken, Instance, State, Store, ThreadId};

/// What the search found.
pub struct Explored {
    /// All reachable states, in the order in which they were met.
    pub states: Vec<State>,
    /// The way to the first error.
    pub trace: Option<Trace>,
}

/// Visits all reachable states, breadth first.
pub fn explore(instance: &Instance) -> Explored {
    let mut search = Search { seen: BTreeMap::new(), states: Vec::new(), parents: Vec::new(), queue: VecDeque::new() };
    initial_states(instance).into_iter().for_each(|state| search.visit(state, None));
    let mut trace = None;
    while let Some(at) = search.queue.pop_front() {
        let state = search.states[at].clone();
        if trace.is_none() {
            trace = violation(instance, &state).map(|violation| search.trace(instance, at, violation));
        }
        for thread in (0..instance.threads.len() as u32).map(ThreadId) {
            for s in state.steps(instance, thread).successors {
                let step = TraceStep { thread, path: s.path, shared: s.shared, local: s.local };
                search.visit(after(&state, &step), Some((at, step)));
            }
        }
    }
    Explored { states: search.states, trace }
}

struct Search {
    seen: BTreeMap<State, usize>,
    states: Vec<State>,
    parents: Vec<Option<(usize, TraceStep)>>,
    queue: VecDeque<usize>,
}

impl Search {
    fn visit(&mut self, state: State, parent: Option<(usize, TraceStep)>) {
        if !self.seen.contains_key(&state) {
            self.seen.insert(state.clone(), self.states.len());
            self.queue.push_back(self.states.len());
            self.states.push(state);
            self.parents.push(parent);
        }
    }

    fn trace(&self, instance: &Instance, at: usize, violation: Violation) -> Trace {
        let mut steps = Vec::new();
        let mut at = at;
        while let Some((parent, step)) = &self.parents[at] {
            steps.push(step.clone());
            at = *parent;
        }
        steps.reverse();
        Trace { any_copies: instance.any_copies(), initial: Some(self.states[at].clone()), steps, violation }
    }
}

/// The state after a step.
pub(crate) fn after(state: &State, step: &TraceStep) -> State {
    let mut next = state.clone();
    next.shared = step.shared.clone();
    next.locals[step.thread.index()] = step.local.clone();
    next
}

/// All states in which the program can start.
pub fn initial_states(instance: &Instance) -> Vec<State> {
    let mut states = Vec::new();
    for shared in instance.initial_stores().stores {
        let mut all: Vec<Vec<Store>> = vec![Vec::new()];
        for thread in (0..instance.threads.len() as u32).map(ThreadId) {
            let starts = instance.starts(thread, &shared).successors;
            let extend = |locals: &Vec<Store>| -> Vec<Vec<Store>> {
                starts.iter().map(|start| [locals.as_slice(), std::slice::from_ref(&start.local)].concat()).collect()
            };
            all = all.iter().flat_map(extend).collect();
        }
        states.extend(all.into_iter().map(|locals| State { shared: shared.clone(), locals }));
    }
    states
}

fn violation(instance: &Instance, state: &State) -> Option<Violation> {
    for thread in (0..instance.threads.len() as u32).map(ThreadId) {
        if let Some(f) = state.steps(instance, thread).failures.into_iter().next() {
            return Some(Violation::Step { thread, path: f.path, error: f.error, span: f.span });
        }
    }
    let mut shown = |thread| state.steps(instance, thread).shown;
    let broken = instance.broken_properties(&state.shared, &state.locals, &mut shown);
    broken.first().map(|broken| match *broken {
        Broken::Property(id) => Violation::Property(id),
        Broken::Fault(id, fault, span) => Violation::PropertyFault(id, fault, span),
    })
}

/// The trace to the first error.
pub fn trace(instance: &Instance) -> Trace {
    explore(instance).trace.expect("the program is unsafe")
}
