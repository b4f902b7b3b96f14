//! Sets of local states by shared store.

use crate::bits::Bits;
use rustc_hash::FxHashMap;
use threadwise_limits::{growth_of_list, growth_of_table};

/// For each store, by its number, a set of local states.
#[derive(Clone)]
pub(crate) enum ByStore {
    /// For threads that are at nearly all stores: an array. Nothing is looked up.
    Dense(Vec<Bits>),
    /// For threads and contexts that see few of the stores.
    Sparse(FxHashMap<u32, Bits>),
}

impl ByStore {
    /// Adds a local state; tells whether it is new.
    pub(crate) fn insert(&mut self, store: u32, local: u32) -> bool {
        match self {
            ByStore::Dense(sets) => {
                if sets.len() <= store as usize {
                    sets.resize_with(store as usize + 1, Bits::default);
                }
                sets[store as usize].insert(local)
            }
            ByStore::Sparse(sets) => sets.entry(store).or_default().insert(local),
        }
    }

    /// The local states with a store; `None` if there are none.
    pub(crate) fn get(&self, store: u32) -> Option<&Bits> {
        match self {
            ByStore::Dense(sets) => sets.get(store as usize).filter(|set| !set.is_empty()),
            ByStore::Sparse(sets) => sets.get(&store),
        }
    }

    /// The bytes that it takes anew when it next grows, if that is near.
    pub(crate) fn growth(&self) -> u64 {
        match self {
            ByStore::Dense(sets) => growth_of_list(sets),
            ByStore::Sparse(sets) => growth_of_table::<(u32, Bits)>(sets.len(), sets.capacity()),
        }
    }

    /// The stores with local states, in order.
    pub(crate) fn stores(&self) -> Vec<u32> {
        match self {
            ByStore::Dense(sets) => (0..sets.len() as u32).filter(|&store| self.get(store).is_some()).collect(),
            ByStore::Sparse(sets) => {
                let mut stores: Vec<u32> = sets.keys().copied().collect();
                stores.sort_unstable();
                stores
            }
        }
    }
}
