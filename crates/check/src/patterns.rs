//! Whether threads meet the pattern of a property.
//!
//! Each sign of a pattern has to be shown by a thread of its own, all of the same element. All ways to give the signs to
//! threads are tried, sign by sign; where nothing is wrong there are few.
//!
//! Threads may be deadlocked if each may be still and one of them may be stuck: a stuck thread is still, so whoever is
//! stuck, the others may be still. Threads may wait for each other around a cycle of locks if one can go around from
//! thread to thread, each of which may wait for the next: a way that comes to no thread twice asks one thing of each.

use threadwise_ir::deadlock::{ENDED, STILL, STUCK, WAITS};
use threadwise_ir::{Observations, Pattern, Program, PropertyId};

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

/// The first pattern that threads who may show these may meet, and which threads. Where there are patterns of all threads,
/// what each thread of the instance may show must be given, in order.
pub(crate) fn meeting(program: &Program, shown: &[Observations]) -> Option<(PropertyId, Vec<usize>)> {
    program.patterns().find_map(|(property, pattern)| {
        let mut threads = match pattern {
            Pattern::Signs(signs) => {
                let mut ways = vec![Way { threads: Vec::new(), first: 0, last: u32::MAX }];
                for _ in signs {
                    ways = ways.iter().flat_map(|way| way.further(property, shown)).collect();
                }
                ways.into_iter().next()?.threads
            }
            Pattern::Deadlock => deadlocked(property, shown)?,
            Pattern::LockCycle => waiting_for_ever(property, shown)?,
        };
        threads.sort_unstable();
        Some((property, threads))
    })
}

/// The threads that may be stuck where all may be still.
fn deadlocked(property: PropertyId, shown: &[Observations]) -> Option<Vec<usize>> {
    let may = |thread: &usize, sign| shown[*thread].of(property).iter().any(|observation| observation.sign == sign);
    let stuck: Vec<usize> = (0..shown.len()).filter(|thread| may(thread, STUCK)).collect();
    (!stuck.is_empty() && (0..shown.len()).all(|thread| may(&thread, STILL))).then_some(stuck)
}

/// The threads from which one comes back to where one was, or to one that may have ended, by going from each to those
/// that it may wait for.
fn waiting_for_ever(property: PropertyId, shown: &[Observations]) -> Option<Vec<usize>> {
    let of = |thread: usize, sign| shown[thread].of(property).iter().filter(move |o| o.sign == sign);
    let waits_for =
        |thread: usize, other: usize| of(thread, WAITS).any(|o| (o.first..=o.last).contains(&(other as u32 + 1)));
    let has_ended = |thread: usize| of(thread, ENDED).next().is_some();
    let threads = 0..shown.len();
    for thread in threads.clone() {
        if let Some(other) =
            threads.clone().find(|&other| other != thread && waits_for(thread, other) && has_ended(other))
        {
            return Some(vec![thread, other]);
        }
    }
    // Whoever waits for none of those that are left is on no cycle. If in the end some are left, each waits for one of
    // them, so that there is a cycle among them.
    let mut left: Vec<usize> = threads.collect();
    loop {
        let before = left.clone();
        left.retain(|&thread| before.iter().any(|&other| waits_for(thread, other)));
        if left.len() == before.len() {
            return (!left.is_empty()).then_some(left);
        }
    }
}

/// No more threads that show the same than this make a difference: the most that a pattern asks for. Patterns of all threads
/// ask for each of them.
pub(crate) fn most_signs(program: &Program) -> usize {
    let signs = |pattern: &Pattern| match pattern {
        Pattern::Signs(signs) => signs.len(),
        Pattern::Deadlock | Pattern::LockCycle => usize::MAX,
    };
    program.patterns().map(|(_, pattern)| signs(pattern)).max().unwrap_or(0)
}

/// Whether some pattern is about single elements of arrays, or about whom a thread waits for.
pub(crate) fn tells_elements_apart(program: &Program) -> bool {
    program.patterns().any(|(_, pattern)| match pattern {
        Pattern::Signs(signs) => signs.iter().any(|sign| sign.region().depth > 0),
        Pattern::Deadlock => false,
        Pattern::LockCycle => true,
    })
}
