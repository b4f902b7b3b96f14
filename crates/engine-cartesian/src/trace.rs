//! From sets of states that lead to an error to an execution.

use crate::chain::Products;
use crate::space::{Space, Stop};
use threadwise_claims::{step_between, violation_in};
use threadwise_evidence::Trace;
use threadwise_ir::{State, ThreadId};
use threadwise_products::{ProductId, SetId};

/// States that lead to an error: each of a set has a step into the next, and those of the last are
/// errors, or are in a chain that was found earlier.
pub(crate) struct BadChain {
    pub(crate) states: Vec<Products>,
}

/// A state as numbers: the shared store, and each thread's local state.
struct Numbers {
    store: u32,
    locals: Vec<u32>,
}

/// An execution along the last chain, and on along the earlier ones.
pub(crate) fn trace(space: &mut Space<'_>, chains: &[BadChain]) -> Result<Trace, Stop> {
    let last = &chains[chains.len() - 1].states;
    let (&store, products) = last[0].first_key_value().expect("the chain starts somewhere");
    let mut state = some_state(space, store, products[0]);
    let initial = as_state(space, &state);
    let mut before = initial.clone();
    let mut steps = Vec::new();
    let (mut chain, mut at) = (chains.len() - 1, 0);
    loop {
        for next in &chains[chain].states[at + 1..] {
            let thread = step_into(space, &mut state, next)?;
            let after = as_state(space, &state);
            let step = step_between(space.instance, &before, thread, &after);
            steps.push(step.expect("the tables list what the semantics gives"));
            before = after;
        }
        if let Some(violation) = violation_in(space.instance, &as_state(space, &state)) {
            return Ok(Trace { any_copies: space.instance.any_copies(), initial: Some(initial), steps, violation });
        }
        (chain, at) = found_in(space, &chains[..chain], &state);
    }
}

/// The first chain that has a state, and where.
fn found_in(space: &mut Space<'_>, chains: &[BadChain], state: &Numbers) -> (usize, usize) {
    let product = as_product(space, state);
    for (chain, BadChain { states }) in chains.iter().enumerate() {
        for (at, products) in states.iter().enumerate() {
            let products = products.get(&state.store).map_or(&[][..], |products| products);
            if products.iter().any(|&p| space.algebra.is_subset(product, p)) {
                return (chain, at);
            }
        }
    }
    unreachable!("a chain ends in an error or in an earlier chain")
}

fn some_state(space: &mut Space<'_>, store: u32, product: ProductId) -> Numbers {
    let mut locals = Vec::new();
    for group in 0..space.groups.len() {
        for (set, count) in space.algebra.entries(product, group).to_vec() {
            let local = space.algebra.sets.first(set).expect("components are not empty");
            locals.extend(std::iter::repeat_n(local, count as usize));
        }
    }
    Numbers { store, locals }
}

fn as_product(space: &mut Space<'_>, state: &Numbers) -> ProductId {
    let mut bags = Vec::new();
    for group in 0..space.groups.len() {
        let threads = space.groups[group].threads.clone();
        let single = |&local: &u32| -> (SetId, u32) { (space.algebra.sets.of([local]), 1) };
        let entries = state.locals[threads].iter().map(single).collect();
        bags.push(space.algebra.bag_of(entries));
    }
    space.algebra.product(&bags)
}

fn as_state(space: &Space<'_>, state: &Numbers) -> State {
    let locals = state.locals.iter().enumerate();
    State {
        shared: space.tables.shared.get(state.store).into(),
        locals: locals.map(|(thread, &local)| space.local(thread, local).into()).collect(),
    }
}

/// Takes a step into one of the given states; tells whose.
fn step_into(space: &mut Space<'_>, state: &mut Numbers, next: &Products) -> Result<ThreadId, Stop> {
    for group in 0..space.groups.len() {
        for thread in space.groups[group].threads.clone() {
            let before = state.locals[thread];
            for (store, local) in space.successors(group, state.store, before)? {
                let Some(products) = next.get(&store) else { continue };
                state.locals[thread] = local;
                let product = as_product(space, state);
                if products.iter().any(|&target| space.algebra.is_subset(product, target)) {
                    state.store = store;
                    return Ok(ThreadId(thread as u32));
                }
                state.locals[thread] = before;
            }
        }
    }
    unreachable!("every state of a chain has a step into the next")
}
