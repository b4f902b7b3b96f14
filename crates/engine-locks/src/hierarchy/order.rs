//! An order in which everything comes after what it must come after, or a cycle.

use super::follow::{Found, Name};
use std::collections::BTreeMap;

/// The locks in an order, or some of them around a cycle.
pub(super) fn sorted(found: &Found) -> Result<Vec<Name>, Vec<Name>> {
    let mut after: BTreeMap<&Name, usize> = BTreeMap::new();
    for (held, others) in &found.before {
        after.entry(held).or_default();
        others.keys().for_each(|lock| *after.entry(lock).or_default() += 1);
    }
    let mut ready: Vec<&Name> = after.iter().filter(|(_, count)| **count == 0).map(|(lock, _)| *lock).collect();
    ready.reverse();
    let mut order = Vec::new();
    while let Some(lock) = ready.pop() {
        order.push(lock.clone());
        for next in found.before.get(lock).into_iter().flat_map(|others| others.keys()) {
            if let Some(count) = after.get_mut(next) {
                *count -= 1;
                if *count == 0 {
                    ready.push(next);
                }
            }
        }
    }
    if order.len() == after.len() { Ok(order) } else { Err(cycle(found, &order)) }
}

/// A shortest way around, among those that are not in order.
fn cycle(found: &Found, order: &[Name]) -> Vec<Name> {
    let mut best: Option<Vec<Name>> = None;
    for first in found.before.keys().filter(|lock| !order.contains(lock)) {
        let mut from: BTreeMap<&Name, &Name> = BTreeMap::new();
        let mut open = std::collections::VecDeque::from([first]);
        'search: while let Some(lock) = open.pop_front() {
            for next in found.before.get(lock).into_iter().flat_map(|others| others.keys()) {
                if next == first {
                    let mut way = vec![lock.clone()];
                    while let Some(before) = way.last().and_then(|lock| from.get(lock)) {
                        way.push((*before).clone());
                    }
                    way.reverse();
                    if best.as_ref().is_none_or(|best| way.len() < best.len()) {
                        best = Some(way);
                    }
                    break 'search;
                }
                if next != first && !from.contains_key(next) {
                    from.insert(next, lock);
                    open.push_back(next);
                }
            }
        }
        if best.as_ref().is_some_and(|best| best.len() <= 2) {
            break;
        }
    }
    best.unwrap_or_default()
}
