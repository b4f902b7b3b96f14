//! Small programs, and a search for small ones that is slow and obvious.
//!
//! The tests of the judges use it too, so that they do not depend on any engine.

#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use threadwise_evidence::{ReachableSet, Trace, TraceStep, Violation};
use threadwise_front_tw::{Options, load};
use threadwise_ir::{Broken, Instance, Program, State, Store, TemplateId, ThreadId};
use threadwise_source::SourceFile;

/// The program with this text, which must be correct.
pub fn program(text: &str) -> Arc<Program> {
    let lowered = load(SourceFile::new("test.tw", text), &Options::default());
    Arc::new(lowered.program.unwrap_or_else(|| panic!("{:?}", lowered.diagnostics)))
}

/// All values of all kinds, procedures with recursion, and an assertion that fails.
pub const KITCHEN_SINK: &str = "
    type Phase = enum { idle, busy };
    shared x: 0..3 = 1;
    shared big: int = -5;
    shared phase: Phase;
    shared m: mutex;
    shared seen: set<tid>;
    shared table: [Phase]bool;
    shared owner: [0..1]tid;
    shared l: rwlock;
    proc down(n: 0..2) returns (r: 0..2) {
      if (n > 0) { r = down(n - 1); }
      big = big + 1;
      return n;
    }
    thread Main { var y: 0..2; y = down(2); phase = busy; assert big == 0; }
    thread W[2] {
      if (*) { var a: 0..1; a = 1; x = a; } else { var a: bool; a = true; x = 2; }
      acquire(m);
      seen = seen union {self};
      table[phase] = true;
      owner[1] = self;
      release(m);
    }
";

/// A race that breaks an assertion: found after a few steps.
pub const LOST_UPDATE: &str = "
    shared x: 0..5;
    thread W[2] { var t: 0..5; t = x; x = t + 1; }
    thread Check { await x == 1; assert x == 2; }
";

/// Safe, with copies that can be permuted and identities in shared variables.
pub const MUTEX: &str = "
    const N = 3;
    shared x: 0..2 = 1;
    shared m: mutex;
    thread W[N] { acquire(m); x = 0; x = x + 1; assert x > 0; release(m); }
    invariant clean: m == none ==> x == 1;
    norace x;
";

/// What the search found.
pub struct Explored {
    pub states: Vec<State>,
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

fn after(state: &State, step: &TraceStep) -> State {
    let mut next = state.clone();
    next.shared = step.shared.clone();
    next.locals[step.thread.index()] = step.local.clone();
    next
}

fn initial_states(instance: &Instance) -> Vec<State> {
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
    let mut access = |thread| state.steps(instance, thread).access;
    let broken = instance.broken_properties(&state.shared, &state.locals, &mut access);
    broken.first().map(|broken| match *broken {
        Broken::Property(id) => Violation::Property(id),
        Broken::Fault(id, fault, span) => Violation::PropertyFault(id, fault, span),
    })
}

/// The trace to the first error.
pub fn trace(instance: &Instance) -> Trace {
    explore(instance).trace.expect("the program is unsafe")
}

/// The set of these states, as a proof has it.
pub fn set_of(instance: &Instance, states: &[State], symmetric: &[TemplateId]) -> ReachableSet {
    let mut set = ReachableSet { symmetric: symmetric.to_vec(), ..ReachableSet::default() };
    set.locals = vec![Vec::new(); instance.program.templates.len()];
    for state in states {
        let shared = position(&mut set.shared, &state.shared);
        set.states.push(shared);
        for (thread, local) in instance.threads.iter().zip(&state.locals) {
            let index = position(&mut set.locals[thread.template.index()], local);
            set.states.push(index);
        }
    }
    set
}

fn position(stores: &mut Vec<Store>, store: &Store) -> u32 {
    let known = stores.iter().position(|other| other == store);
    known.unwrap_or_else(|| {
        stores.push(store.clone());
        stores.len() - 1
    }) as u32
}

/// All reachable states as a proof.
pub fn reachable_set(instance: &Instance) -> ReachableSet {
    set_of(instance, &explore(instance).states, &[])
}

/// Of states that differ by a permutation of the copies of a template just one each: the last by
/// the order of states, which is not the one that an engine would pick.
pub fn representatives(instance: &Instance, states: &[State], template: TemplateId) -> Vec<State> {
    let copies: Vec<usize> = instance.copies_of(template).collect();
    let chosen = |state: &State| {
        let permuted = permutations(&copies).into_iter().map(|images| permute(instance, state, &copies, &images));
        permuted.max().expect("there is the identity")
    };
    states.iter().map(chosen).collect::<BTreeSet<State>>().into_iter().collect()
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, &first) in items.iter().enumerate() {
        let rest = [&items[..index], &items[index + 1..]].concat();
        all.extend(permutations(&rest).into_iter().map(|tail| [vec![first], tail].concat()));
    }
    all
}

fn permute(instance: &Instance, state: &State, copies: &[usize], images: &[usize]) -> State {
    let image = |thread: usize| copies.iter().position(|&c| c == thread).map_or(thread, |at| images[at]);
    let rename = |tid: i64| {
        if tid == 0 { 0 } else { image(tid as usize - 1) as i64 + 1 }
    };
    let mut next = state.clone();
    next.shared = instance.rename(&state.shared, &rename).into();
    for (thread, local) in state.locals.iter().enumerate() {
        next.locals[image(thread)] = local.clone();
    }
    next
}
