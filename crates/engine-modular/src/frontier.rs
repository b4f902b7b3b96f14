//! Frontier searches: Cartesian abstraction of the latest states only (CART, sections 1.12, 1.13.2).

use crate::fixpoint::Stop;
use std::collections::{BTreeMap, BTreeSet};
use threadwise_ir::{Instance, Store, ThreadId};
use threadwise_limits::Budget;

/// A tuple of sets of thread states: for each thread its states, as shared store and local state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Iterate(pub Vec<Vec<(Store, Store)>>);

/// The working form of an iterate: for each thread, by shared store, the local states.
type Sets = Vec<BTreeMap<Store, BTreeSet<Store>>>;

/// The frontier sequence up to the first iterate that is contained in an earlier one, which is
/// left out.
///
/// DIVERGENCE: CART stops when the represented states are contained in the union of those of all
/// earlier iterates; containment in one of them is easier to see and to check, and comes later at
/// worst.
pub fn frontier(instance: &Instance, budget: &Budget) -> Result<Vec<Iterate>, Stop> {
    let mut iterates = vec![initial(instance)?];
    loop {
        let next = post(instance, &iterates[iterates.len() - 1], budget)?;
        if iterates.iter().any(|earlier| is_subset(&next, earlier)) {
            return Ok(iterates.into_iter().map(finished).collect());
        }
        iterates.push(next);
    }
}

/// The relaxed frontier sequence T(0) … T(k) (CART, definition 1.13.3; algorithm 1).
pub fn relaxed(instance: &Instance, budget: &Budget) -> Result<Vec<Iterate>, Stop> {
    let mut iterates = vec![initial(instance)?];
    let mut all = iterates[0].clone();
    loop {
        let latest = &iterates[iterates.len() - 1];
        let mut next = post(instance, latest, budget)?;
        if is_subset(&next, &all) {
            join(&mut next, latest);
        }
        if is_subset(&next, latest) {
            return Ok(iterates.into_iter().map(finished).collect());
        }
        join(&mut all, &next);
        iterates.push(next);
    }
}

fn initial(instance: &Instance) -> Result<Sets, Stop> {
    let stores = instance.initial_stores();
    let mut sets: Sets = vec![BTreeMap::new(); instance.threads.len()];
    let mut gap = stores.gap;
    if let Some(&(_, span)) = stores.faults.first() {
        return Err(Stop::Start(span));
    }
    for store in &stores.stores {
        for (index, set) in sets.iter_mut().enumerate() {
            let starts = instance.starts(ThreadId(index as u32), store);
            gap = gap.or(starts.gap);
            if let Some(failure) = starts.failures.first() {
                return Err(Stop::Start(failure.span));
            }
            set.entry(store.clone()).or_default().extend(starts.successors.into_iter().map(|s| s.local));
        }
    }
    gap.map_or(Ok(sets), |gap| Err(Stop::Gap(gap)))
}

/// All steps from the represented states, abstracted: the rule STEPF.
fn post(instance: &Instance, sets: &Sets, budget: &Budget) -> Result<Sets, Stop> {
    budget.check()?;
    let mut after: Sets = vec![BTreeMap::new(); sets.len()];
    let Some(first) = sets.first() else { return Ok(after) };
    let represented = first.keys().filter(|store| sets.iter().all(|set| set.contains_key(*store)));
    for store in represented {
        for (mover, set) in sets.iter().enumerate() {
            for local in &set[store] {
                let steps = instance.steps(ThreadId(mover as u32), store, local);
                if let Some(gap) = steps.gap {
                    return Err(Stop::Gap(gap));
                }
                for successor in steps.successors {
                    for (thread, target) in after.iter_mut().enumerate() {
                        let locals = target.entry(successor.shared.clone()).or_default();
                        if thread == mover {
                            locals.insert(successor.local.clone());
                        } else {
                            locals.extend(sets[thread][store].iter().cloned());
                        }
                    }
                }
            }
        }
    }
    Ok(after)
}

fn is_subset(a: &Sets, b: &Sets) -> bool {
    a.iter()
        .zip(b)
        .all(|(a, b)| a.iter().all(|(store, locals)| b.get(store).is_some_and(|others| locals.is_subset(others))))
}

fn join(into: &mut Sets, other: &Sets) {
    for (into, other) in into.iter_mut().zip(other) {
        for (store, locals) in other {
            into.entry(store.clone()).or_default().extend(locals.iter().cloned());
        }
    }
}

fn finished(sets: Sets) -> Iterate {
    let of_thread = |set: BTreeMap<Store, BTreeSet<Store>>| {
        set.into_iter()
            .flat_map(|(store, locals)| locals.into_iter().map(move |local| (store.clone(), local)))
            .collect()
    };
    Iterate(sets.into_iter().map(of_thread).collect())
}
