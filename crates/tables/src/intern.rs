//! Stores as small numbers.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use threadwise_limits::{growth_of_list, growth_of_table};

/// Numbers stores in the order they first appear.
#[derive(Clone, Default)]
pub struct Interner {
    /// All stores one after the other.
    words: Vec<i64>,
    /// Where each store ends; it starts where the one before ends.
    ends: Vec<usize>,
    table: HashTable<u32>,
}

impl Interner {
    /// How many stores there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The store with this number.
    pub fn get(&self, id: u32) -> &[i64] {
        slice(&self.words, &self.ends, id)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes that it takes anew when it next grows, if that is near.
    pub fn growth(&self) -> u64 {
        let table = growth_of_table::<u32>(self.table.len(), self.table.capacity());
        table + growth_of_list(&self.words) + growth_of_list(&self.ends)
    }

    /// The number of a store, new or not.
    pub fn intern(&mut self, store: &[i64]) -> u32 {
        let hash = FxBuildHasher.hash_one(store);
        let (words, ends) = (&self.words, &self.ends);
        if let Some(&id) = self.table.find(hash, |&id| slice(words, ends, id) == store) {
            return id;
        }
        let id = self.ends.len() as u32;
        self.words.extend_from_slice(store);
        self.ends.push(self.words.len());
        let (words, ends) = (&self.words, &self.ends);
        self.table.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(slice(words, ends, id)));
        id
    }
}

fn slice<'a>(words: &'a [i64], ends: &[usize], id: u32) -> &'a [i64] {
    let start = if id == 0 { 0 } else { ends[id as usize - 1] };
    &words[start..ends[id as usize]]
}
