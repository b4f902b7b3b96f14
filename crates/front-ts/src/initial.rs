//! How the initial states belong together.

use crate::resolve::{Product, Resolved, ThreadDef};
use std::collections::{BTreeMap, BTreeSet};
use threadwise_source::{Diagnostic, Span};

/// The most initial states that are listed one by one.
const MAX_TUPLES: usize = 10_000;

/// The most words that the list of initial states may take.
const MAX_WORDS: usize = 1 << 22;

/// A program state: the shared state and the local state of each thread, copies counted.
pub(crate) type Tuple = (u32, Vec<u32>);

/// The initial states.
#[derive(Clone, Debug)]
pub(crate) enum Initial {
    /// All combinations of these shared states and, for each declaration, these local states.
    Product {
        /// The shared states.
        shared: Vec<u32>,
        /// The local states of each declared thread; all its copies have the same.
        locals: Vec<Vec<u32>>,
    },
    /// These, in ascending order.
    Tuples(Vec<Tuple>),
}

impl Initial {
    /// Whether the threads in these columns always start in the same local state, or each in any of the same
    /// states.
    pub(crate) fn is_uniform(&self, columns: std::ops::Range<usize>) -> bool {
        match self {
            Initial::Product { .. } => true,
            Initial::Tuples(tuples) => {
                tuples.iter().all(|(_, locals)| locals[columns.clone()].windows(2).all(|pair| pair[0] == pair[1]))
            }
        }
    }

    /// The local states in which the thread in a column of this declaration can start, and in which of the
    /// initial states it does, where those are listed.
    pub(crate) fn locals(&self, def: usize, column: usize) -> Vec<(u32, Vec<u32>)> {
        match self {
            Initial::Product { locals, .. } => locals[def].iter().map(|&local| (local, Vec::new())).collect(),
            Initial::Tuples(tuples) => {
                let mut starts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
                for (number, (_, locals)) in tuples.iter().enumerate() {
                    starts.entry(locals[column]).or_default().push(number as u32);
                }
                starts.into_iter().collect()
            }
        }
    }
}

/// Finds out whether the initial states are a product. The columns of the copies of a thread may be
/// permuted: which copy is which does not matter.
pub(crate) fn initial(system: &Resolved, diagnostics: &mut Vec<Diagnostic>) -> Option<Initial> {
    let (shared, locals) = projections(system);
    let columns: Vec<&Vec<u32>> = per_column(system, &locals);
    let is_whole = |product: &Product| {
        let is_all = |set: &Option<Vec<u32>>, found: &Vec<u32>| set.as_ref().is_none_or(|set| set == found);
        is_all(&product.shared, &shared) && product.locals.iter().zip(&columns).all(|(set, found)| is_all(set, found))
    };
    if system.init.iter().any(is_whole) {
        return Some(Initial::Product { shared, locals });
    }
    let Some(tuples) = all_tuples(system) else {
        let span = system.init.first().map_or(Span::default(), |product| product.span);
        let error = Diagnostic::error(span, "there are too many initial states to list")
            .label(format!("more than {MAX_TUPLES}, and not all combinations of a set for each thread"));
        diagnostics.push(error.hint("one line with sets, such as `init {0 1} {A B} A`, may have any number of states"));
        return None;
    };
    let sizes = columns.iter().map(|set| set.len()).chain([shared.len()]);
    let combinations = sizes.fold(1usize, usize::saturating_mul);
    if combinations == tuples.len() {
        return Some(Initial::Product { shared, locals });
    }
    Some(Initial::Tuples(tuples.into_iter().collect()))
}

/// The declaration that each thread, copies counted, comes from.
pub(crate) fn system_columns(system: &Resolved) -> Vec<&ThreadDef> {
    system.threads.iter().flat_map(|thread| vec![thread; thread.number()]).collect()
}

fn per_column<'a>(system: &Resolved, locals: &'a [Vec<u32>]) -> Vec<&'a Vec<u32>> {
    system.threads.iter().zip(locals).flat_map(|(thread, set)| vec![set; thread.number()]).collect()
}

fn set_or_all(set: &Option<Vec<u32>>, all: u32) -> Vec<u32> {
    set.clone().unwrap_or_else(|| (0..all).collect())
}

/// The shared states, and each declared thread's local states, that occur in initial states.
fn projections(system: &Resolved) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut shared = BTreeSet::new();
    let mut locals = vec![BTreeSet::new(); system.threads.len()];
    for product in &system.init {
        shared.extend(set_or_all(&product.shared, system.shared.len()));
        let mut columns = product.locals.iter();
        for (thread, found) in system.threads.iter().zip(&mut locals) {
            for set in columns.by_ref().take(thread.number()) {
                found.extend(set_or_all(set, thread.locals.len()));
            }
        }
    }
    (shared.into_iter().collect(), locals.into_iter().map(|set| set.into_iter().collect()).collect())
}

/// The initial states one by one; `None` if they are too many.
fn all_tuples(system: &Resolved) -> Option<BTreeSet<Tuple>> {
    let mut tuples = BTreeSet::new();
    for product in &system.init {
        let mut chosen = vec![Vec::new()];
        for (set, thread) in product.locals.iter().zip(system_columns(system)) {
            let set = set_or_all(set, thread.locals.len());
            if !fits(chosen.len().saturating_mul(set.len()), product.locals.len()) {
                return None;
            }
            chosen = chosen.iter().flat_map(|tuple| set.iter().map(|&local| [&tuple[..], &[local]].concat())).collect();
        }
        for locals in chosen {
            for permuted in permutations(system, &locals)? {
                for shared in set_or_all(&product.shared, system.shared.len()) {
                    tuples.insert((shared, permuted.clone()));
                }
            }
            if !fits(tuples.len(), product.locals.len()) {
                return None;
            }
        }
    }
    Some(tuples)
}

fn fits(tuples: usize, width: usize) -> bool {
    tuples <= MAX_TUPLES && tuples.saturating_mul(width) <= MAX_WORDS
}

/// The local states with those of copies of one thread permuted among them.
fn permutations(system: &Resolved, locals: &[u32]) -> Option<Vec<Vec<u32>>> {
    let mut all = vec![Vec::new()];
    let mut start = 0;
    for thread in &system.threads {
        let end = start + thread.number();
        let mut own = locals[start..end].to_vec();
        own.sort_unstable();
        let mut orders = vec![own.clone()];
        while next_permutation(&mut own) {
            orders.push(own.clone());
            if !fits(orders.len(), locals.len()) {
                return None;
            }
        }
        if !fits(all.len() * orders.len(), locals.len()) {
            return None;
        }
        all = all.iter().flat_map(|tuple| orders.iter().map(|order| [&tuple[..], &order[..]].concat())).collect();
        start = end;
    }
    Some(all)
}

/// Turns the sequence into the next one in lexicographic order, if there is one.
fn next_permutation(sequence: &mut [u32]) -> bool {
    let Some(pivot) = sequence.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let larger = sequence.iter().rposition(|&x| x > sequence[pivot]).expect("the one behind the pivot is larger");
    sequence.swap(pivot, larger);
    sequence[pivot + 1..].reverse();
    true
}

#[cfg(test)]
mod tests {
    use super::next_permutation;

    #[test]
    fn permutations_of_equal_elements_are_counted_once() {
        let mut sequence = vec![0, 0, 1, 2];
        let mut count = 1;
        while next_permutation(&mut sequence) {
            count += 1;
        }
        assert_eq!((count, sequence), (12, vec![2, 1, 0, 0]));
    }
}
