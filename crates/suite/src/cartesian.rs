//! Thread-modular verification as CART, theorem 1.7.2, reads it: the least fixpoint of
//! α ∘ (init ∪ post) ∘ γ, computed on sets of whole program states.
//!
//! The slow obvious version beside the engine `modular`: γ lists every combination of thread states
//! that agree on the shared store. It knows no symmetry, no guarantees and no tables, and takes
//! nothing from the engine but the semantics of a step. For small programs only.

use std::collections::BTreeSet;
use threadwise_ir::{Instance, State, Store, ThreadId};

/// Sets of thread states (shared store, local state), one for each thread of an instance: the
/// paper's R₁ … Rₙ.
pub type ThreadStates = Vec<BTreeSet<(Store, Store)>>;

/// The least fixpoint of α ∘ (init ∪ post) ∘ γ. `None` where γ has more than `max_tuples` elements,
/// or where the semantics cannot list all initial states or steps.
pub fn cartesian_fixpoint(instance: &Instance, max_tuples: usize) -> Option<ThreadStates> {
    let init = initial_states(instance)?;
    let mut discovered = alpha(instance, &init);
    loop {
        let mut states = post(instance, &gamma(instance, &discovered, max_tuples)?)?;
        states.extend(init.iter().cloned());
        let next = alpha(instance, &states);
        if next == discovered {
            return Some(discovered);
        }
        discovered = next;
    }
}

/// Whether no state in γ is an error: no property is violated in it, and no step from it fails.
/// `None` where γ has more than `max_tuples` elements, or where the semantics cannot tell.
pub fn cartesian_proves(instance: &Instance, discovered: &ThreadStates, max_tuples: usize) -> Option<bool> {
    if !instance.initial_stores().faults.is_empty() || start_fails(instance) {
        return Some(false);
    }
    let states = gamma(instance, discovered, max_tuples)?;
    if states.iter().any(|state| instance.property_gap(&state.shared, &state.locals).is_some()) {
        return None;
    }
    Some(!states.iter().any(|state| is_error(instance, state)))
}

fn threads(instance: &Instance) -> impl Iterator<Item = ThreadId> {
    (0..instance.threads.len() as u32).map(ThreadId)
}

fn is_error(instance: &Instance, state: &State) -> bool {
    let fails = threads(instance).any(|thread| !state.steps(instance, thread).failures.is_empty());
    let mut shown = |thread| state.steps(instance, thread).shown;
    fails || !instance.broken_properties(&state.shared, &state.locals, &mut shown).is_empty()
}

fn start_fails(instance: &Instance) -> bool {
    let stores = instance.initial_stores().stores;
    stores.iter().any(|store| threads(instance).any(|thread| !instance.starts(thread, store).failures.is_empty()))
}

/// All initial states.
fn initial_states(instance: &Instance) -> Option<BTreeSet<State>> {
    let initial = instance.initial_stores();
    if initial.gap.is_some() {
        return None;
    }
    let mut states = BTreeSet::new();
    for shared in initial.stores {
        let mut tuples = vec![Vec::new()];
        for thread in threads(instance) {
            let starts = instance.starts(thread, &shared);
            if starts.gap.is_some() {
                return None;
            }
            let starts: Vec<Store> = starts.successors.into_iter().map(|start| start.local).collect();
            tuples = extended(&tuples, &starts);
        }
        states.extend(tuples.into_iter().map(|locals| State { shared: shared.clone(), locals }));
    }
    Some(states)
}

/// The successors of the states.
fn post(instance: &Instance, states: &BTreeSet<State>) -> Option<BTreeSet<State>> {
    let mut next = BTreeSet::new();
    for state in states {
        for thread in threads(instance) {
            let steps = state.steps(instance, thread);
            if steps.gap.is_some() {
                return None;
            }
            next.extend(steps.successors.into_iter().map(|successor| {
                let mut locals = state.locals.clone();
                locals[thread.index()] = successor.local;
                State { shared: successor.shared, locals }
            }));
        }
    }
    Some(next)
}

/// The projections to the shared store and one thread's local state each.
fn alpha(instance: &Instance, states: &BTreeSet<State>) -> ThreadStates {
    let of_thread = |thread: ThreadId| {
        states.iter().map(|state| (state.shared.clone(), state.locals[thread.index()].clone())).collect()
    };
    threads(instance).map(of_thread).collect()
}

/// All states whose projections are among the given ones, if they are not too many.
fn gamma(instance: &Instance, discovered: &ThreadStates, max_tuples: usize) -> Option<BTreeSet<State>> {
    let stores: BTreeSet<&Store> = discovered.iter().flatten().map(|(shared, _)| shared).collect();
    let mut states = BTreeSet::new();
    for shared in stores {
        let mut tuples = vec![Vec::new()];
        for thread in threads(instance) {
            let with_store = discovered[thread.index()].iter().filter(|(g, _)| g == shared);
            let locals: Vec<Store> = with_store.map(|(_, local)| local.clone()).collect();
            if tuples.len() * locals.len() > max_tuples {
                return None;
            }
            tuples = extended(&tuples, &locals);
        }
        states.extend(tuples.into_iter().map(|locals| State { shared: shared.clone(), locals }));
        if states.len() > max_tuples {
            return None;
        }
    }
    Some(states)
}

/// Each tuple with each element at its end.
fn extended(tuples: &[Vec<Store>], elements: &[Store]) -> Vec<Vec<Store>> {
    let with_element = |tuple: &Vec<Store>, element: &Store| [&tuple[..], std::slice::from_ref(element)].concat();
    tuples.iter().flat_map(|tuple| elements.iter().map(move |element| with_element(tuple, element))).collect()
}
