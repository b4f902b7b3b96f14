//! Numbers instead of words, for the checker's own use.

use rustc_hash::FxHashMap;
use std::rc::Rc;
use threadwise_limits::growth_of_table;

/// Gives equal sequences of words equal numbers.
#[derive(Default)]
pub(crate) struct Interner {
    numbers: FxHashMap<Rc<[i64]>, u32>,
    words: Vec<Rc<[i64]>>,
}

impl Interner {
    pub(crate) fn number(&mut self, words: &[i64]) -> u32 {
        if let Some(&number) = self.numbers.get(words) {
            return number;
        }
        let (number, words) = (self.words.len() as u32, Rc::<[i64]>::from(words));
        self.words.push(words.clone());
        self.numbers.insert(words, number);
        number
    }

    /// The number of words that have one.
    pub(crate) fn find(&self, words: &[i64]) -> Option<u32> {
        self.numbers.get(words).copied()
    }

    /// All words that have numbers, in order.
    pub(crate) fn all(&self) -> &[Rc<[i64]>] {
        &self.words
    }

    /// The bytes that it takes anew when it next grows, if that is near.
    pub(crate) fn growth(&self) -> u64 {
        growth_of_table::<(Rc<[i64]>, u32)>(self.numbers.len(), self.numbers.capacity())
    }

    pub(crate) fn words(&self, number: u32) -> &[i64] {
        &self.words[number as usize]
    }
}
