//! Sets of states as proofs.

use crate::search::explore;
use std::collections::BTreeSet;
use threadwise_evidence::ReachableSet;
use threadwise_ir::{Instance, State, Store, TemplateId};

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
