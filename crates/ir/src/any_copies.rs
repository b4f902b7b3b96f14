//! How many copies there are of the threads that are declared with any number of them.

use std::fmt;

/// How many copies each thread declared with `[*]` has: as many of each, or a number for each, in the order in which they are declared.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AnyCopies(Box<[u32]>);

impl From<u32> for AnyCopies {
    /// As many of each.
    fn from(copies: u32) -> AnyCopies {
        AnyCopies(Box::new([copies]))
    }
}

impl AnyCopies {
    /// A number for each; where all are the same, as many of each.
    pub fn separate(numbers: &[u32]) -> AnyCopies {
        match numbers {
            [] => AnyCopies::from(0),
            [first, others @ ..] if others.iter().all(|other| other == first) => AnyCopies::from(*first),
            _ => AnyCopies(numbers.into()),
        }
    }

    /// How many copies the thread has that is declared as the so many-th of those with `[*]`, counted from 0.
    pub fn of(&self, which: usize) -> u32 {
        match &self.0[..] {
            [same] => *same,
            separate => separate.get(which).copied().unwrap_or(0),
        }
    }

    /// How many copies each has, if all have as many.
    pub fn same(&self) -> Option<u32> {
        match self.0[..] {
            [same] => Some(same),
            _ => None,
        }
    }
}

impl fmt::Display for AnyCopies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&numbers.join(" and "))
    }
}
