//! Products as the judge compares them.

use crate::desk::Desk;
use crate::sets::Sets;
use crate::transport::{Flow, send};
use rustc_hash::FxHashMap;
use std::ops::Range;
use threadwise_evidence::{CartesianProof, Product};
use threadwise_ir::{Instance, TemplateId};

/// The threads in groups. Those whose copies may be permuted form a *crowd* together, each other
/// thread stands for itself. Groups are numbered: first the single threads, then the crowds.
pub(crate) struct Roster {
    singles: Vec<usize>,
    /// The threads of each crowd.
    crowds: Vec<Range<usize>>,
    /// For each thread the group it is in.
    pub(crate) group_of: Vec<u32>,
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
        Roster { singles, crowds, group_of }
    }

    /// How many groups there are.
    pub(crate) fn len(&self) -> usize {
        self.singles.len() + self.crowds.len()
    }

    /// A thread of the group; in a crowd any is like any other.
    pub(crate) fn representative(&self, group: usize) -> usize {
        match self.singles.get(group) {
            Some(&thread) => thread,
            None => self.crowds[group - self.singles.len()].start,
        }
    }

    /// Whether the thread is in a crowd with the one before it.
    pub(crate) fn is_like_before(&self, thread: usize) -> bool {
        self.crowds.iter().any(|crowd| crowd.start < thread && thread < crowd.end)
    }
}

/// A product: for each single thread a set, for each crowd how many have which set.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Block {
    singles: Vec<u32>,
    /// Sets and numbers of threads, in the order of the sets; no set occurs twice.
    crowds: Vec<Vec<(u32, u32)>>,
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

    pub(crate) fn block(&mut self, desk: &mut Desk<'_>, roster: &Roster, sets: &mut Sets, product: &Product) -> Block {
        let mut block = Block { singles: Vec::new(), crowds: vec![Vec::new(); roster.crowds.len()] };
        let mut first = 0;
        for &(count, set) in &product.components {
            let number = self.set(desk, sets, desk.instance.threads[first].template, set);
            // A run is of one template, so of one crowd or of single threads.
            match (roster.group_of[first] as usize).checked_sub(roster.singles.len()) {
                Some(crowd) => block.crowds[crowd].push((number, count)),
                None => block.singles.extend(std::iter::repeat_n(number, count as usize)),
            }
            first += count as usize;
        }
        block.crowds.iter_mut().for_each(merge);
        block
    }

    fn set(&mut self, desk: &mut Desk<'_>, sets: &mut Sets, template: TemplateId, set: u32) -> u32 {
        *self.known.entry((template.0, set)).or_insert_with(|| {
            let locals = &self.proof.locals[template.index()];
            let elements = self.proof.sets[set as usize].iter();
            sets.number(elements.map(|&element| desk.locals.number(&locals[element as usize])).collect())
        })
    }
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
    /// The product in which all threads of a group have the same set.
    pub(crate) fn uniform(roster: &Roster, sets: &[u32]) -> Block {
        let (singles, crowds) = sets.split_at(roster.singles.len());
        let crowd = |(threads, &set): (&Range<usize>, &u32)| vec![(set, threads.len() as u32)];
        Block { singles: singles.to_vec(), crowds: roster.crowds.iter().zip(crowds).map(crowd).collect() }
    }

    /// The product of these components, one for each thread.
    #[cfg(test)]
    pub(crate) fn of(roster: &Roster, components: &[u32]) -> Block {
        let crowd = |threads: &Range<usize>| components[threads.clone()].iter().map(|&set| (set, 1)).collect();
        let singles = roster.singles.iter().map(|&thread| components[thread]).collect();
        let mut block = Block { singles, crowds: roster.crowds.iter().map(crowd).collect() };
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

    /// The sets that threads of the group have, and how many have them.
    pub(crate) fn group(&self, group: usize) -> impl Iterator<Item = (u32, u32)> {
        let single = self.singles.get(group).map(|&set| (set, 1));
        let crowd = group.checked_sub(self.singles.len()).map(|crowd| &self.crowds[crowd]);
        single.into_iter().chain(crowd.into_iter().flatten().copied())
    }

    /// All sets that occur in it, some of them perhaps several times.
    pub(crate) fn sets(&self) -> impl Iterator<Item = u32> {
        self.singles.iter().copied().chain(self.crowds.iter().flatten().map(|&(set, _)| set))
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
