//! Products as they are compared: the copies of a crowd in no order.

use crate::sets::Sets;
use crate::transport::{Flow, send};
use std::ops::Range;
use threadwise_ir::{Instance, TemplateId};

/// The threads in groups. Those whose copies may be permuted form a *crowd* together, each other
/// thread stands for itself. Groups are numbered: first the single threads, then the crowds.
pub(crate) struct Roster {
    singles: Vec<usize>,
    /// The threads of each crowd.
    crowds: Vec<Range<usize>>,
    /// For each thread the group it is in.
    pub(crate) group_of: Vec<u32>,
    templates: Vec<TemplateId>,
}

impl Roster {
    pub(crate) fn new(instance: &Instance, symmetric: &[TemplateId]) -> Roster {
        let crowds: Vec<Range<usize>> = symmetric.iter().map(|&template| instance.copies_of(template)).collect();
        let crowd_of = |thread: usize| crowds.iter().position(|crowd| crowd.contains(&thread));
        let threads = 0..instance.threads.len();
        let singles: Vec<usize> = threads.clone().filter(|&thread| crowd_of(thread).is_none()).collect();
        let mut earlier_singles = 0;
        let group = |thread: usize| match crowd_of(thread) {
            Some(crowd) => (singles.len() + crowd) as u32,
            None => {
                earlier_singles += 1;
                earlier_singles - 1
            }
        };
        let group_of = threads.map(group).collect();
        let templates = instance.threads.iter().map(|thread| thread.template).collect();
        Roster { singles, crowds, group_of, templates }
    }

    /// A thread that can do what this one can; of a crowd it is always the first.
    pub(crate) fn like(&self, thread: usize) -> usize {
        self.crowd_of(thread).map_or(thread, |crowd| crowd.start)
    }

    pub(crate) fn crowd_of(&self, thread: usize) -> Option<&Range<usize>> {
        self.crowds.iter().find(|crowd| crowd.contains(&thread))
    }

    /// Whether a run can go on with this thread from the one before it.
    pub(crate) fn is_beside(&self, thread: usize) -> bool {
        thread > 0 && self.templates[thread] == self.templates[thread - 1]
    }

    /// The threads of a group.
    pub(crate) fn threads(&self, group: usize) -> Range<usize> {
        match self.singles.get(group) {
            Some(&thread) => thread..thread + 1,
            None => self.crowds[group - self.singles.len()].clone(),
        }
    }
}

/// A product: for each single thread a set, for each crowd how many have which set.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Block {
    singles: Vec<u32>,
    /// Sets and numbers of threads, in the order of the sets; no set occurs twice.
    crowds: Vec<Vec<(u32, u32)>>,
}

/// Where one product sticks out of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Overhang {
    Nowhere,
    /// In this group only.
    In(usize),
    InSeveral,
}

impl Block {
    /// The product of these runs, each with how many threads have which set.
    pub(crate) fn of(roster: &Roster, runs: &[(u32, u32)]) -> Block {
        let mut block = Block { singles: Vec::new(), crowds: vec![Vec::new(); roster.crowds.len()] };
        let mut first = 0;
        for &(count, set) in runs {
            // A run is of one template, so of one crowd or of single threads.
            match (roster.group_of[first] as usize).checked_sub(roster.singles.len()) {
                Some(crowd) => block.crowds[crowd].push((set, count)),
                None => block.singles.extend(std::iter::repeat_n(set, count as usize)),
            }
            first += count as usize;
        }
        block.crowds.iter_mut().for_each(merge);
        block
    }

    /// A component for each thread; where copies may be permuted, in some order.
    pub(crate) fn components(&self, roster: &Roster) -> Vec<u32> {
        let mut components = vec![0; roster.group_of.len()];
        for (&thread, &set) in roster.singles.iter().zip(&self.singles) {
            components[thread] = set;
        }
        for (threads, crowd) in roster.crowds.iter().zip(&self.crowds) {
            let sets = crowd.iter().flat_map(|&(set, count)| std::iter::repeat_n(set, count as usize));
            threads.clone().zip(sets).for_each(|(thread, set)| components[thread] = set);
        }
        components
    }

    /// The same with one thread of the group moved from a set to another.
    pub(crate) fn with(&self, group: usize, from: u32, to: u32) -> Block {
        let mut block = self.clone();
        match group.checked_sub(self.singles.len()) {
            None => block.singles[group] = to,
            Some(crowd) => block.crowds[crowd] = moved(&self.crowds[crowd], from, to),
        }
        block
    }

    /// Where it is not within the other; crowds may be permuted.
    pub(crate) fn overhang(&self, other: &Block, sets: &Sets) -> Overhang {
        let mut overhang = Overhang::Nowhere;
        for (group, (&a, &b)) in self.singles.iter().zip(&other.singles).enumerate() {
            if a != b && !sets.is_subset(a, b) {
                if overhang != Overhang::Nowhere {
                    return Overhang::InSeveral;
                }
                overhang = Overhang::In(group);
            }
        }
        for (crowd, (a, b)) in self.crowds.iter().zip(&other.crowds).enumerate() {
            if !is_within(a, b, sets) {
                if overhang != Overhang::Nowhere {
                    return Overhang::InSeveral;
                }
                overhang = Overhang::In(self.singles.len() + crowd);
            }
        }
        overhang
    }

    /// Whether the group, with one thread moved from a set to another, is within the other product's.
    pub(crate) fn admits(&self, from: &Block, group: usize, before: u32, after: u32, sets: &Sets) -> bool {
        match group.checked_sub(self.singles.len()) {
            None => sets.is_subset(after, self.singles[group]),
            Some(crowd) => is_within(&moved(&from.crowds[crowd], before, after), &self.crowds[crowd], sets),
        }
    }

    /// If it meets the other product at all: in how many places it sticks out, and of the first of
    /// these the group, the set, and the other's set there. Crowds are permuted to fit well.
    pub(crate) fn fit(&self, other: &Block, sets: &Sets) -> Option<(u64, Option<Place>)> {
        let mut places = 0;
        let mut first = None;
        for (group, (&a, &b)) in self.singles.iter().zip(&other.singles).enumerate() {
            if a != b && !sets.is_subset(a, b) {
                if !sets.meet(a, b) {
                    return None;
                }
                places += 1;
                first = first.or(Some(Place { group, set: a, other: b }));
            }
        }
        for (crowd, (a, b)) in self.crowds.iter().zip(&other.crowds).enumerate() {
            let group = self.singles.len() + crowd;
            let flow = best_fit(a, b, sets)?;
            for (&(set, _), row) in a.iter().zip(&flow) {
                for (&(other, _), &amount) in b.iter().zip(row) {
                    if amount > 0 && !sets.is_subset(set, other) {
                        places += u64::from(amount);
                        first = first.or(Some(Place { group, set, other }));
                    }
                }
            }
        }
        Some((places, first))
    }
}

/// A component that sticks out of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) group: usize,
    pub(crate) set: u32,
    pub(crate) other: u32,
}

/// Puts the sets of a crowd in order, each once.
fn merge(crowd: &mut Vec<(u32, u32)>) {
    crowd.sort_unstable();
    let runs = crowd.chunk_by(|a, b| a.0 == b.0);
    *crowd = runs.map(|run| (run[0].0, run.iter().map(|&(_, count)| count).sum())).collect();
}

/// The crowd with one thread moved from a set to another.
fn moved(crowd: &[(u32, u32)], from: u32, to: u32) -> Vec<(u32, u32)> {
    let mut crowd = crowd.to_vec();
    if let Ok(at) = crowd.binary_search_by_key(&from, |&(set, _)| set) {
        crowd[at].1 -= 1;
        if crowd[at].1 == 0 {
            crowd.remove(at);
        }
    }
    match crowd.binary_search_by_key(&to, |&(set, _)| set) {
        Ok(at) => crowd[at].1 += 1,
        Err(at) => crowd.insert(at, (to, 1)),
    }
    crowd
}

fn counts(crowd: &[(u32, u32)]) -> Vec<u32> {
    crowd.iter().map(|&(_, count)| count).collect()
}

fn total(crowd: &[(u32, u32)]) -> u64 {
    crowd.iter().map(|&(_, count)| u64::from(count)).sum()
}

/// Whether the threads of one crowd can take those of the other one's places, each within its set.
fn is_within(a: &[(u32, u32)], b: &[(u32, u32)], sets: &Sets) -> bool {
    let admitted = |x: usize, y: usize| sets.is_subset(a[x].0, b[y].0);
    a == b || send(&counts(a), &counts(b), &admitted, &mut Flow::new()) == total(a)
}

/// Gives each thread of one crowd a place in the other with a set that meets its own; preferably one
/// that it is within.
fn best_fit(a: &[(u32, u32)], b: &[(u32, u32)], sets: &Sets) -> Option<Flow> {
    let mut flow = Flow::new();
    send(&counts(a), &counts(b), &|x, y| sets.is_subset(a[x].0, b[y].0), &mut flow);
    let sent = send(&counts(a), &counts(b), &|x, y| sets.meet(a[x].0, b[y].0), &mut flow);
    (sent == total(a)).then_some(flow)
}
