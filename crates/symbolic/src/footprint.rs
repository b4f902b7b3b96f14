//! What steps of a thread read and write of the shared variables.

use crate::{End, Value, Way, World};
use std::collections::{BTreeSet, HashMap};
use threadwise_logic::Term;

/// The shared variables that a thread's next step reads and writes, by the numbers of their terms.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    reads: BTreeSet<usize>,
    writes: BTreeSet<usize>,
}

impl Footprint {
    /// That of all ways of a step from a world in which every shared term is a constant of its own.
    pub fn of(world: &World, ways: &[Way]) -> Footprint {
        let before: Vec<&Term> = terms(&world.shared).collect();
        let numbers: HashMap<&Term, usize> = before.iter().enumerate().map(|(number, term)| (*term, number)).collect();
        let mut print = Footprint::default();
        let mut read = |term: &Term| term.for_each_leaf(&mut |leaf| print.reads.extend(numbers.get(leaf)));
        for way in ways {
            read(&way.when);
            let End::Rest(state) = &way.end else { continue };
            state.frames.iter().flatten().flat_map(|value| &value.0).for_each(&mut read);
            for (number, after) in terms(&state.shared).enumerate().filter(|(number, after)| before[*number] != *after)
            {
                print.writes.insert(number);
                read(after);
            }
        }
        print
    }

    /// Whether the steps read or write a term.
    pub fn touches(&self, term: usize) -> bool {
        self.reads.contains(&term) || self.writes.contains(&term)
    }

    /// Whether the steps write a term.
    pub fn writes(&self, term: usize) -> bool {
        self.writes.contains(&term)
    }

    /// Whether neither writes what the other reads or writes, so that both can be taken in either order, with the same outcome.
    pub fn is_apart_from(&self, other: &Footprint) -> bool {
        !self.writes.iter().any(|term| other.touches(*term)) && !other.writes.iter().any(|term| self.touches(*term))
    }
}

fn terms(values: &[Value]) -> impl Iterator<Item = &Term> {
    values.iter().flat_map(|value| &value.0)
}
