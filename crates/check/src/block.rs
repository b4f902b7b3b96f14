//! Products as the judge compares them: runs of threads that have the same set.

use crate::desk::Desk;
use crate::sets::Sets;
use rustc_hash::FxHashMap;
use std::ops::Range;
use threadwise_evidence::CartesianProof;
use threadwise_ir::{Instance, TemplateId};

/// Which threads may be permuted: copies of one thread that may form a *crowd*.
pub(crate) struct Roster {
    threads: u32,
    crowds: Vec<Range<usize>>,
}

/// Threads of a product of which one is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actor {
    /// The one.
    pub(crate) thread: usize,
    /// A thread that can do the same: of a crowd always the first.
    pub(crate) like: usize,
    pub(crate) set: u32,
    /// How many there are, from the one on.
    pub(crate) count: u32,
}

impl Roster {
    pub(crate) fn new(instance: &Instance, symmetric: &[TemplateId]) -> Roster {
        let crowds = symmetric.iter().map(|&template| instance.copies_of(template)).collect();
        Roster { threads: instance.threads.len() as u32, crowds }
    }

    /// Whether the thread is in a crowd with the one before it.
    pub(crate) fn is_like_before(&self, thread: usize) -> bool {
        self.crowds.iter().any(|crowd| crowd.start < thread && thread < crowd.end)
    }

    /// Of a run in a crowd one thread is enough, of others each is looked at.
    pub(crate) fn actors<'s>(&'s self, block: &'s Block) -> impl Iterator<Item = Actor> + 's {
        block.runs().flat_map(|(first, count, set)| {
            let crowd = self.crowds.iter().find(|crowd| crowd.contains(&first));
            let (actors, each) = if crowd.is_some() { (1, count) } else { (count, 1) };
            (first..first + actors as usize).map(move |thread| {
                let like = crowd.map_or(thread, |crowd| crowd.start);
                Actor { thread, like, set, count: each }
            })
        })
    }

    /// Whether the runs of threads have every thread once, and none leaves its place but for one in its crowd.
    pub(crate) fn is_permutation(&self, order: &[(u32, u32)]) -> bool {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        let ends =
            sorted.iter().try_fold(
                0u32,
                |next, &(first, count)| {
                    if first == next && count > 0 { next.checked_add(count) } else { None }
                },
            );
        let mut place = 0;
        let stays_in_its_crowd = |&(first, count): &(u32, u32)| {
            let to = place;
            place += count;
            let has = |crowd: &Range<usize>, first: u32| {
                crowd.start <= first as usize && (first + count) as usize <= crowd.end
            };
            first == to || self.crowds.iter().any(|crowd| has(crowd, first) && has(crowd, to))
        };
        ends == Some(self.threads) && order.iter().all(stays_in_its_crowd)
    }
}

/// A product: how many threads, in their order, have which set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Block {
    runs: Vec<(u32, u32)>,
}

/// Reads the products of a proof, which must be valid.
pub(crate) struct Reader<'a> {
    proof: &'a CartesianProof,
    known: FxHashMap<(u32, u32), u32>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(proof: &'a CartesianProof) -> Reader<'a> {
        Reader { proof, known: FxHashMap::default() }
    }

    pub(crate) fn block(&mut self, desk: &mut Desk<'_>, sets: &mut Sets, components: &[(u32, u32)]) -> Block {
        let mut first = 0;
        let mut runs = Vec::new();
        for &(count, set) in components {
            // A run is of one template.
            let template = desk.instance.threads[first].template;
            runs.push((count, self.set(desk, sets, template, set)));
            first += count as usize;
        }
        Block { runs }
    }

    pub(crate) fn set(&mut self, desk: &mut Desk<'_>, sets: &mut Sets, template: TemplateId, set: u32) -> u32 {
        *self.known.entry((template.0, set)).or_insert_with(|| {
            let locals = &self.proof.locals[template.index()];
            let elements = self.proof.sets[set as usize].iter();
            sets.number(elements.map(|&element| desk.locals.number(&locals[element as usize])).collect())
        })
    }
}

impl Block {
    /// The product of these components, one for each thread.
    pub(crate) fn of(components: &[u32]) -> Block {
        let runs = components.chunk_by(|a, b| a == b);
        Block { runs: runs.map(|run| (run.len() as u32, run[0])).collect() }
    }

    /// A component for each thread.
    pub(crate) fn components(&self) -> Vec<u32> {
        self.runs.iter().flat_map(|&(count, set)| std::iter::repeat_n(set, count as usize)).collect()
    }

    /// The runs: the first thread, how many there are, and their set.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (usize, u32, u32)> {
        self.runs.iter().scan(0, |next, &(count, set)| {
            let first = *next;
            *next += count as usize;
            Some((first, count, set))
        })
    }

    /// Whether it has no states.
    pub(crate) fn is_empty(&self, sets: &Sets) -> bool {
        self.runs.iter().any(|&(_, set)| sets.elements(set).is_empty())
    }

    /// The set of a thread.
    pub(crate) fn set_of(&self, thread: usize) -> Option<u32> {
        self.part(thread as u32, 1).next().map(|(_, set)| set)
    }

    /// The same with another set for one thread.
    pub(crate) fn with(&self, thread: usize, set: u32) -> Block {
        let thread = thread as u32;
        let runs = self.part(0, thread).chain([(1, set)]).chain(self.part(thread + 1, u32::MAX - thread - 1));
        Block { runs: runs.collect() }
    }

    /// The same with the threads in another order, of which these are the runs.
    pub(crate) fn ordered(&self, order: &[(u32, u32)]) -> Block {
        Block { runs: order.iter().flat_map(|&(first, count)| self.part(first, count)).collect() }
    }

    /// The runs of so many threads from this one on.
    fn part(&self, first: u32, count: u32) -> impl Iterator<Item = (u32, u32)> {
        self.runs().filter_map(move |(start, length, set)| {
            let start = start as u32;
            let (from, to) = (start.max(first), (start + length).min(first + count));
            (from < to).then(|| (to - from, set))
        })
    }

    /// Whether each thread's set is within the one that it has in the other product.
    pub(crate) fn is_within(&self, other: &Block, sets: &Sets) -> bool {
        let mut others = other.runs.iter().copied();
        let (mut left, mut wider) = (0, 0);
        self.runs.iter().all(|&(mut count, set)| {
            while count > 0 {
                if left == 0 {
                    let Some(next) = others.next() else { return false };
                    (left, wider) = next;
                }
                if !sets.is_subset(set, wider) {
                    return false;
                }
                let both = count.min(left);
                (count, left) = (count - both, left - both);
            }
            true
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, thread by thread.
    fn is_within(a: &[u32], b: &[u32], sets: &Sets) -> bool {
        a.len() <= b.len() && a.iter().zip(b).all(|(&a, &b)| sets.is_subset(a, b))
    }

    #[test]
    fn runs_are_like_single_threads() {
        let mut sets = Sets::default();
        for bits in 0..4u32 {
            sets.number((0..2).filter(|bit| bits >> bit & 1 == 1).collect());
        }
        let all: Vec<Vec<u32>> = (0..256u32).map(|n| (0..4).map(|at| n >> (2 * at) & 3).collect()).collect();
        for a in &all {
            let block = Block::of(a);
            assert_eq!(block.components(), *a);
            for b in &all {
                assert_eq!(block.is_within(&Block::of(b), &sets), is_within(a, b, &sets));
            }
            for thread in 0..4 {
                assert_eq!(block.set_of(thread), Some(a[thread]));
                let mut changed = a.clone();
                changed[thread] = 3;
                assert_eq!(block.with(thread, 3).components(), changed);
            }
            let turned = block.ordered(&[(2, 2), (0, 1), (1, 1)]).components();
            assert_eq!(turned, [a[2], a[3], a[0], a[1]]);
        }
    }

    #[test]
    fn only_copies_of_a_crowd_change_places() {
        let roster = Roster { threads: 6, crowds: vec![1..4, 4..6] };
        let good: [&[(u32, u32)]; 4] = [
            &[(0, 6)],
            &[(0, 1), (2, 2), (1, 1), (4, 2)],
            &[(0, 4), (5, 1), (4, 1)],
            &[(0, 2), (3, 1), (2, 1), (4, 2)],
        ];
        for order in good {
            assert!(roster.is_permutation(order), "{order:?}");
        }
        let bad: [&[(u32, u32)]; 9] = [
            &[(0, 5)],
            &[(0, 7)],
            &[(1, 1), (0, 1), (2, 4)],
            &[(0, 3), (4, 1), (3, 1), (5, 1)],
            &[(0, 2), (2, 2), (2, 2)],
            &[(0, 1), (4, 2), (1, 3)],
            &[(0, 3), (0, 3)],
            &[(0, 6), (6, 0)],
            &[(0, 6), (6, u32::MAX)],
        ];
        for order in bad {
            assert!(!roster.is_permutation(order), "{order:?}");
        }
    }
}
