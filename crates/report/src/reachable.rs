//! A set of all reachable states in the words of the program: what it says of each thread by itself.
//!
//! What holds whenever a thread is at a place is what those states have in common in which it is there, and its guarantee is
//! what its steps from there do. At a point that is passed within a step no thread stands in any state, and nothing is said of
//! it; nor is anything said of locals that are not read again. Where another thread stands at such a point, the shared
//! variables are as they are when it has passed it, so what is said of this thread holds then, too.

use crate::annotation::{ProofText, ThreadText, View, template_name};
use crate::view::Names;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use threadwise_evidence::{Context, ReachableSet, ThreadAnnotation, shown_local, shown_shared};
use threadwise_ir::{Instance, LocalId, Program, RoutineId, SharedId, Store, Symmetry, ThreadId};
use threadwise_spawn::tells_of_starts;

/// Of more states of single threads than this nothing is said: formulas of so many would help nobody.
const MAX_STATES: usize = 20_000;

/// Puts a set of states into words; nothing if that is too much work, or if the words would not be those of the author. At
/// most so many locations are looked at.
pub(crate) fn reachable_text(program: &Program, set: &ReachableSet, most: usize) -> Option<ProofText> {
    let instance = Instance::new(Arc::new(set.folding.apply(program)), 0);
    if !has_only_variables_of_its_author(&instance) {
        return None;
    }
    let symmetry = Symmetry::Among(set.symmetric.clone());
    let mut text = ProofText::default();
    for (thread, annotation) in annotations(&instance, set)? {
        let names = Names::up_to_symmetry(&instance, &symmetry, thread);
        let told = View { instance: &instance, names: &names }.tell(thread, &annotation, most, &mut text);
        let template = instance.threads[thread.index()].template;
        let name = match set.symmetric.contains(&template) {
            true => template_name(program, template),
            false => instance.tid_name(i64::from(thread.0) + 1),
        };
        text.threads.push(ThreadText { name, ..told });
    }
    Some(text)
}

/// A program in C or Java, or one that starts threads, has variables of which its author knows nothing, and their values are
/// most of what a set of states says.
fn has_only_variables_of_its_author(instance: &Instance) -> bool {
    let program = &instance.program;
    let is_plain =
        |id: SharedId| shown_shared(instance, id).is_none() && !tells_of_starts(program, &program.shared[id.index()]);
    let locals = |routine: RoutineId| (0..program.routine(routine).locals.len() as u32).map(LocalId);
    let has_plain_locals = |routine| locals(routine).all(|id| shown_local(instance, routine, id).is_none());
    (0..program.shared.len() as u32).map(SharedId).all(is_plain)
        && (0..program.routines.len() as u32).map(RoutineId).all(has_plain_locals)
}

/// What the states of each thread can be; of copies that stand for each other, those of the first one.
fn annotations(instance: &Instance, set: &ReachableSet) -> Option<BTreeMap<ThreadId, ThreadAnnotation>> {
    let mut states: BTreeMap<ThreadId, BTreeMap<Store, BTreeSet<Store>>> = BTreeMap::new();
    for (thread, shared, local) in single_states(instance, set)? {
        let template = instance.threads[thread.index()].template;
        let (mut whose, mut store) = (thread, set.shared[shared as usize].clone());
        if set.symmetric.contains(&template) {
            whose = ThreadId(instance.copies_of(template).start as u32);
            store = changing_places(instance, &store, thread, whose);
        }
        let local = set.locals[template.index()][local as usize].clone();
        states.entry(whose).or_default().entry(store).or_default().insert(local);
    }
    let annotation = |states: BTreeMap<Store, BTreeSet<Store>>| {
        let states = states.into_iter().map(|(shared, locals)| (shared, locals.into_iter().collect()));
        ThreadAnnotation { contexts: vec![Context { callers: Vec::new(), states: states.collect() }] }
    };
    Some(states.into_iter().map(|(thread, states)| (thread, annotation(states))).collect())
}

/// Each thread with the shared stores and the local states that it is in, by their numbers.
fn single_states(instance: &Instance, set: &ReachableSet) -> Option<BTreeSet<(ThreadId, u32, u32)>> {
    let mut states = BTreeSet::new();
    for row in set.rows(instance) {
        let threads = (0..).map(ThreadId).zip(&row[1..]);
        states.extend(threads.map(|(thread, &local)| (thread, row[0], local)));
        if states.len() > MAX_STATES {
            return None;
        }
    }
    Some(states)
}

/// The shared store, if two copies of a thread change places.
fn changing_places(instance: &Instance, shared: &Store, one: ThreadId, other: ThreadId) -> Store {
    let (a, b) = (i64::from(one.0) + 1, i64::from(other.0) + 1);
    let image = |tid: i64| match tid {
        tid if tid == a => b,
        tid if tid == b => a,
        tid => tid,
    };
    instance.rename(shared, &image).into()
}
