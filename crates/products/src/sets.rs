//! Sets of small numbers, themselves as numbers.

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

/// A set; two sets are equal if and only if their numbers are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SetId(pub(crate) u32);

impl SetId {
    /// The empty set.
    pub const EMPTY: SetId = SetId(0);

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self == SetId::EMPTY
    }
}

/// All sets that occur, as bits; the last word of a set is not 0.
#[derive(Clone, Debug)]
pub struct Sets {
    words: Vec<Box<[u64]>>,
    table: HashTable<u32>,
    unions: FxHashMap<(SetId, SetId), SetId>,
    intersections: FxHashMap<(SetId, SetId), SetId>,
    differences: FxHashMap<(SetId, SetId), SetId>,
}

impl Default for Sets {
    fn default() -> Sets {
        let mut sets = Sets {
            words: Vec::new(),
            table: HashTable::new(),
            unions: FxHashMap::default(),
            intersections: FxHashMap::default(),
            differences: FxHashMap::default(),
        };
        sets.intern(Vec::new());
        sets
    }
}

impl Sets {
    fn intern(&mut self, mut words: Vec<u64>) -> SetId {
        while words.last() == Some(&0) {
            words.pop();
        }
        let hash = FxBuildHasher.hash_one(&words[..]);
        if let Some(&known) = self.table.find(hash, |&id| *self.words[id as usize] == *words) {
            return SetId(known);
        }
        let id = self.words.len() as u32;
        self.words.push(words.into());
        let all = &self.words;
        self.table.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(&all[id as usize][..]));
        SetId(id)
    }

    fn words(&self, set: SetId) -> &[u64] {
        &self.words[set.0 as usize]
    }

    /// The set of these elements.
    pub fn of(&mut self, elements: impl IntoIterator<Item = u32>) -> SetId {
        let mut words = Vec::new();
        for element in elements {
            let word = element as usize / 64;
            if words.len() <= word {
                words.resize(word + 1, 0);
            }
            words[word] |= 1 << (element % 64);
        }
        self.intern(words)
    }

    /// The elements in order.
    pub fn elements(&self, set: SetId) -> Vec<u32> {
        let mut elements = Vec::new();
        for (index, &word) in self.words(set).iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                elements.push(index as u32 * 64 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        elements
    }

    /// How many elements the set has.
    pub fn size(&self, set: SetId) -> usize {
        self.words(set).iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The smallest element.
    pub fn first(&self, set: SetId) -> Option<u32> {
        let (index, word) = self.words(set).iter().enumerate().find(|(_, word)| **word != 0)?;
        Some(index as u32 * 64 + word.trailing_zeros())
    }

    /// Whether the set has the element.
    pub fn contains(&self, set: SetId, element: u32) -> bool {
        self.words(set).get(element as usize / 64).is_some_and(|word| word >> (element % 64) & 1 == 1)
    }

    /// Whether all elements of `a` are in `b`.
    pub fn is_subset(&self, a: SetId, b: SetId) -> bool {
        let (a, b) = (self.words(a), self.words(b));
        a.len() <= b.len() && a.iter().zip(b).all(|(a, b)| a & !b == 0)
    }

    /// Whether the sets have an element in common.
    pub fn meet(&self, a: SetId, b: SetId) -> bool {
        self.words(a).iter().zip(self.words(b)).any(|(a, b)| a & b != 0)
    }

    /// The elements of either.
    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b || a.is_empty() {
            return b;
        }
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let longest = self.words(a).len().max(self.words(b).len());
        let at = |words: &[u64], index: usize| words.get(index).copied().unwrap_or(0);
        let words = (0..longest).map(|i| at(self.words(a), i) | at(self.words(b), i)).collect();
        let union = self.intern(words);
        self.unions.insert((a, b), union);
        union
    }

    /// The elements of both.
    pub fn intersection(&mut self, a: SetId, b: SetId) -> SetId {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b || a.is_empty() {
            return a;
        }
        if let Some(&known) = self.intersections.get(&(a, b)) {
            return known;
        }
        let words = self.words(a).iter().zip(self.words(b)).map(|(a, b)| a & b).collect();
        let intersection = self.intern(words);
        self.intersections.insert((a, b), intersection);
        intersection
    }

    /// The elements of `a` that are not in `b`.
    pub fn difference(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || a.is_empty() || b.is_empty() {
            return if a == b { SetId::EMPTY } else { a };
        }
        if let Some(&known) = self.differences.get(&(a, b)) {
            return known;
        }
        let other = self.words(b);
        let words = self.words(a).iter().enumerate();
        let words = words.map(|(i, word)| word & !other.get(i).copied().unwrap_or(0)).collect();
        let difference = self.intern(words);
        self.differences.insert((a, b), difference);
        difference
    }
}
