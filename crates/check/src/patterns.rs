//! Whether threads meet the pattern of a property.
//!
//! Each sign of a pattern has to be shown by a thread of its own, all of the same element. All ways to give the signs to
//! threads are tried, sign by sign; where nothing is wrong there are few.

use threadwise_ir::{Observations, Program, PropertyId};

/// Threads for the first signs of a pattern, and the elements of which all of them are shown.
#[derive(Clone)]
struct Way {
    threads: Vec<usize>,
    first: u32,
    last: u32,
}

impl Way {
    /// The ways in which another thread can have the next sign.
    fn further(&self, property: PropertyId, shown: &[Observations]) -> Vec<Way> {
        let mut further = Vec::new();
        for thread in (0..shown.len()).filter(|thread| !self.threads.contains(thread)) {
            for observation in shown[thread].of(property) {
                let (first, last) = (self.first.max(observation.first), self.last.min(observation.last));
                if observation.sign as usize == self.threads.len() && first <= last {
                    further.push(Way { threads: [self.threads.as_slice(), &[thread]].concat(), first, last });
                }
            }
        }
        further
    }
}

/// The first pattern that threads who may show these may meet, and which threads.
pub(crate) fn meeting(program: &Program, shown: &[Observations]) -> Option<(PropertyId, Vec<usize>)> {
    program.patterns().find_map(|(property, pattern)| {
        let mut ways = vec![Way { threads: Vec::new(), first: 0, last: u32::MAX }];
        for _ in &pattern.signs {
            ways = ways.iter().flat_map(|way| way.further(property, shown)).collect();
        }
        let mut threads = ways.into_iter().next()?.threads;
        threads.sort_unstable();
        Some((property, threads))
    })
}

/// No more threads that show the same than this make a difference: the most that a pattern asks for.
pub(crate) fn most_signs(program: &Program) -> usize {
    program.patterns().map(|(_, pattern)| pattern.signs.len()).max().unwrap_or(0)
}

/// Whether some pattern is about single elements of arrays.
pub(crate) fn tells_elements_apart(program: &Program) -> bool {
    program.patterns().flat_map(|(_, pattern)| &pattern.signs).any(|sign| sign.region().depth > 0)
}
