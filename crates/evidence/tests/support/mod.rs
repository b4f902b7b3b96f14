//! Small programs, and a search for small ones that is slow and obvious.
//!
//! The tests of the judges use it too, so that they do not depend on any engine.

#![allow(dead_code)]

pub mod products;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use threadwise_evidence::{
    Annotation, Context, FrontierProof, ModularProof, ReachableSet, StatesByStore, ThreadAnnotation, Trace, TraceStep,
    Violation,
};
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

/// Thread states: a context, a shared store, a local state or its running frame.
type ThreadStates = BTreeSet<(u32, Store, Store)>;

/// What is known of a thread: its states, and for each context from where it is called. A context
/// is the index of a procedure, but 0 is the thread's own code.
#[derive(Clone, Default, PartialEq)]
struct Known {
    states: ThreadStates,
    callers: BTreeMap<u32, BTreeSet<(u32, Store)>>,
}

/// The least annotation, by saying everything again until nothing is new.
pub fn annotation(program: &Arc<Program>, copies: &[u32]) -> Annotation {
    let instance = Instance::with_copies(program.clone(), copies);
    let mut known = vec![Known::default(); instance.threads.len()];
    for shared in instance.initial_stores().stores {
        for (thread, known) in known.iter_mut().enumerate() {
            let starts = instance.starts(ThreadId(thread as u32), &shared).successors;
            known.states.extend(starts.into_iter().map(|start| (0, shared.clone(), start.local)));
        }
    }
    loop {
        let mut next = known.clone();
        for thread in 0..known.len() {
            let changes = own_steps(&instance, thread, &known[thread], &mut next[thread]);
            for (other, known) in known.iter().enumerate().filter(|(other, _)| *other != thread) {
                for (context, shared, local) in &known.states {
                    let to = changes.iter().filter(|(from, _)| from == shared);
                    next[other].states.extend(to.map(|(_, to)| (*context, to.clone(), local.clone())));
                }
            }
        }
        if next == known {
            break;
        }
        known = next;
    }
    let templates = (0..program.templates.len() as u32).map(TemplateId);
    let thread = |template| match instance.copies_of(template) {
        none if none.is_empty() => ThreadAnnotation::default(),
        copies => thread_annotation(program, &known[copies.start]),
    };
    Annotation { copies: copies.to_vec(), threads: templates.map(thread).collect() }
}

/// Adds where the thread's own steps lead; gives what they do to shared stores.
fn own_steps(instance: &Instance, thread: usize, known: &Known, next: &mut Known) -> BTreeSet<(Store, Store)> {
    let mut changes = BTreeSet::new();
    for (context, shared, local) in &known.states {
        let callers: Vec<Option<(u32, Store)>> = match known.callers.get(context) {
            Some(callers) => callers.iter().cloned().map(Some).collect(),
            None => vec![None],
        };
        for caller in callers {
            let below = caller.as_ref().map_or(&[][..], |(_, frame)| frame);
            let stack = [below, local].concat();
            for s in instance.steps(ThreadId(thread as u32), shared, &stack).successors {
                changes.insert((shared.clone(), s.shared.clone()));
                if !instance.program.is_recursive() {
                    next.states.insert((0, s.shared, s.local));
                    continue;
                }
                let mut frames: Vec<&[i64]> = instance.frames(&s.local).map(|frame| frame.words).collect();
                frames.reverse();
                let below = usize::from(caller.is_some());
                if frames.len() == below {
                    let (context, _) = caller.as_ref().expect("a thread does not return");
                    next.states.insert((*context, s.shared, s.local));
                } else if frames.len() == below + 1 {
                    next.states.insert((*context, s.shared, frames[below].into()));
                } else {
                    let callee = instance.top_frame(&s.local).0.index() as u32 + 1;
                    next.callers.entry(callee).or_default().insert((*context, frames[below].into()));
                    next.states.insert((callee, s.shared, frames[below + 1].into()));
                }
            }
        }
    }
    changes
}

fn thread_annotation(program: &Program, known: &Known) -> ThreadAnnotation {
    // Contexts that are not called are left out, so they are numbered anew.
    let all = 0..=program.routines.len() as u32;
    let used: Vec<u32> = all.filter(|context| *context == 0 || known.callers.contains_key(context)).collect();
    let number = |context: u32| used.iter().position(|used| *used == context).expect("in use") as u32;
    let context = |&context: &u32| {
        let callers = known.callers.get(&context).into_iter().flatten();
        let states = known.states.iter().filter(|state| state.0 == context);
        Context {
            callers: callers.map(|(caller, frame)| (number(*caller), frame.clone())).collect(),
            states: by_store(states.map(|(_, shared, local)| (shared.clone(), local.clone()))),
        }
    };
    ThreadAnnotation { contexts: used.iter().map(context).collect() }
}

/// Grouped by shared store.
pub fn by_store(pairs: impl Iterator<Item = (Store, Store)>) -> StatesByStore {
    let mut grouped: BTreeMap<Store, Vec<Store>> = BTreeMap::new();
    pairs.for_each(|(shared, local)| grouped.entry(shared).or_default().push(local));
    grouped.into_iter().collect()
}

/// The least annotations for these numbers of copies.
pub fn modular(program: &Arc<Program>, cases: &[&[u32]]) -> ModularProof {
    ModularProof { cases: cases.iter().map(|copies| annotation(program, copies)).collect() }
}

/// The sets of the plain frontier search, computed from whole states.
pub fn frontier(instance: &Instance) -> FrontierProof {
    let projected = |states: &[State]| -> Vec<StatesByStore> {
        let of_thread = |thread: usize| {
            let pairs: BTreeSet<(Store, Store)> =
                states.iter().map(|state| (state.shared.clone(), state.locals[thread].clone())).collect();
            by_store(pairs.into_iter())
        };
        (0..instance.threads.len()).map(of_thread).collect()
    };
    let mut iterates = vec![projected(&initial_states(instance))];
    loop {
        let last = iterates.last().expect("there is a first");
        let mut after = Vec::new();
        for state in combined(last) {
            for thread in (0..instance.threads.len() as u32).map(ThreadId) {
                for s in state.steps(instance, thread).successors {
                    let step = TraceStep { thread, path: s.path, shared: s.shared, local: s.local };
                    after.push(self::after(&state, &step));
                }
            }
        }
        let next = projected(&after);
        if iterates.contains(&next) {
            return FrontierProof { iterates };
        }
        iterates.push(next);
    }
}

/// All states that thread states can be combined to.
fn combined(threads: &[StatesByStore]) -> Vec<State> {
    let mut states = Vec::new();
    for (shared, _) in &threads[0] {
        let mut all: Vec<Vec<Store>> = vec![Vec::new()];
        for thread in threads {
            let here = thread.iter().filter(|(store, _)| store == shared).flat_map(|(_, locals)| locals);
            let here: Vec<Store> = here.cloned().collect();
            let extend = |locals: &Vec<Store>| -> Vec<Vec<Store>> {
                here.iter().map(|local| [locals.as_slice(), std::slice::from_ref(local)].concat()).collect()
            };
            all = all.iter().flat_map(extend).collect();
        }
        states.extend(all.into_iter().map(|locals| State { shared: shared.clone(), locals }));
    }
    states
}

/// Safe, with recursion: the variable counts down under a mutex.
pub const RECURSIVE: &str = "
    shared x: 0..2;
    shared m: mutex;
    proc down(n: 0..2) returns (r: 0..2) {
      if (n > 0) { x = n; r = down(n - 1); assert x == 0; } else { x = 0; }
      return n;
    }
    thread W[2] { var y: 0..2; acquire(m); y = down(2); release(m); }
    invariant m == none ==> x == 0;
    norace x;
";

/// From CART, example 1.12.2: a binary counter of three threads.
pub const COUNTER: &str = "
    shared t: 0..3 = 1;
    thread T1 { zero: await t == 1; one: atomic { t = 2; goto zero; } }
    thread T2 { zero: atomic { await t == 2; t = 1; } one: atomic { await t == 2; t = 3; goto zero; } }
    thread T3 { zero: atomic { await t == 3; t = 1; } one: atomic { await t == 3; t = 0; goto zero; } }
    invariant t == 0 ==> T1@zero && T2@zero && T3@zero;
";
