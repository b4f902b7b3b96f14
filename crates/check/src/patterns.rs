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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use threadwise_ir::{Observation, Property};
    use threadwise_source::{SourceMap, Span};

    fn shown(property: u32, parts: &[(u32, u32)]) -> Observations {
        let mut shown = Observations::default();
        for &(sign, element) in parts {
            shown.add(Observation { property: PropertyId(property), sign, first: element, last: element });
        }
        shown
    }

    /// All ways in which three threads may be still and stuck, and may wait for each other and have ended: what is found
    /// here is what the semantics finds, which goes about it differently.
    #[test]
    fn what_may_be_met_is_what_the_semantics_says() {
        let mut program = Program::empty(Arc::new(SourceMap::default()));
        program.properties = vec![Property::nodeadlock(Span::default()), Property::nolockcycle(Span::default())];
        let waiting = [&[][..], &[(STILL, 0)], &[(STILL, 0), (STUCK, 0)]].map(|parts| shown(0, parts));
        let locks: Vec<Observations> = (0..16u32)
            .map(|bits| {
                let waits = (0..3).filter(|bit| bits >> bit & 1 == 1).map(|bit| (WAITS, bit + 1));
                shown(1, &waits.chain((bits >> 3 == 1).then_some((ENDED, 0))).collect::<Vec<(u32, u32)>>())
            })
            .collect();
        let mut met = 0;
        for kinds in [&waiting[..], &locks[..]] {
            for number in 0..kinds.len().pow(3) {
                let at = |place: u32| kinds[number / kinds.len().pow(place) % kinds.len()].clone();
                let threads: Vec<Observations> = (0..3).map(at).collect();
                let semantics = program.patterns_met(&threads.iter().collect::<Vec<&Observations>>());
                let found = meeting(&program, &threads);
                assert_eq!(found.is_some(), !semantics.is_empty(), "{threads:?}");
                met += usize::from(found.is_some());
            }
        }
        // All three are still, and not none of them stuck: 7. No lock is waited for in vain if nobody waits for one that has
        // ended, and the others do not wait around a cycle: there are 25 such graphs of three threads, 3 of two, 1 of one,
        // and any of those that have ended may be said to wait for any of these.
        assert_eq!(met, 7 + 16usize.pow(3) - (25 + 3 * 3 * 4 + 3 * 4 + 1));
    }
}
