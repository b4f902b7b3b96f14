//! From errors back to what leads there, with the smallest crowds that do.
//!
//! Abdulla, Čerāns, Jonsson and Tsay, *General decidability theorems for infinite-state systems*: the set of all states
//! from which an error can be reached is upward closed, so its smallest elements tell it; there are finitely many, and going
//! back step by step finds them all.

use crate::bounds::Bounds;
use crate::forward::{Forward, Stop};
use crate::members::{exchanged, is_within};
use crate::targets::Target;
use std::collections::VecDeque;
use threadwise_limits::{Budget, growth_of_list};

/// How many elements are looked at between two questions to the budget.
const ELEMENTS_PER_CHECK: u64 = 1 << 8;

/// A core with these members in its crowd, and any more: from there an error can be reached.
pub(crate) struct Element {
    pub(crate) core: u32,
    pub(crate) crowd: Box<[u32]>,
    /// Members as bits: what is within another has no further ones.
    mask: u64,
    /// The one that a step leads to; none for an error.
    pub(crate) next: Option<u32>,
    /// No smaller one has been found.
    is_smallest: bool,
}

/// What has been found backwards.
pub(crate) struct Backward {
    pub(crate) elements: Vec<Element>,
    /// For each core its smallest elements.
    smallest: Vec<Vec<u32>>,
    waiting: VecDeque<u32>,
    /// For each core the steps that lead there.
    incoming: Vec<Vec<u32>>,
    /// Crowds that are not possible need not be looked at.
    pub(crate) bounds: Option<Bounds>,
    work: u64,
}

impl Backward {
    pub(crate) fn new(forward: &Forward<'_>, bounds: Option<Bounds>) -> Backward {
        let mut incoming = vec![Vec::new(); forward.core_count()];
        for (number, transition) in forward.transitions.iter().enumerate() {
            incoming[transition.to as usize].push(number as u32);
        }
        let smallest = vec![Vec::new(); forward.core_count()];
        Backward { elements: Vec::new(), smallest, waiting: VecDeque::new(), incoming, bounds, work: 0 }
    }

    /// Goes back from these errors; tells the first element found with which the program can start.
    pub(crate) fn run(
        &mut self,
        forward: &Forward<'_>,
        targets: &[Target],
        budget: &Budget,
    ) -> Result<Option<u32>, Stop> {
        for (core, crowd) in targets {
            if let Some(found) = self.add(forward, *core, crowd, None) {
                return Ok(Some(found));
            }
        }
        while let Some(element) = self.waiting.pop_front() {
            if !self.elements[element as usize].is_smallest {
                continue;
            }
            let core = self.elements[element as usize].core as usize;
            for at in 0..self.incoming[core].len() {
                self.work += 1;
                if self.work.is_multiple_of(ELEMENTS_PER_CHECK) {
                    budget.check_for(growth_of_list(&self.elements))?;
                    budget.report(|| format!("{} ways to an error", self.elements.len()));
                }
                let transition = &forward.transitions[self.incoming[core][at] as usize];
                let crowd = &self.elements[element as usize].crowd;
                let before = exchanged(crowd, &transition.gives, transition.takes);
                if let Some(found) = self.add(forward, transition.from, &before, Some(element)) {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    /// Adds an element, unless it is known to be impossible or there is one within it. Tells its number if the program can
    /// start with it.
    fn add(&mut self, forward: &Forward<'_>, core: u32, crowd: &[u32], next: Option<u32>) -> Option<u32> {
        let mask = crowd.iter().fold(0, |mask, member| mask | 1u64 << (member % 64));
        let possible = &forward.crowds[core as usize];
        let is_possible = crowd.iter().all(|&member| possible.contains(member))
            && !self.bounds.as_ref().is_some_and(|bounds| bounds.exclude(core, crowd));
        if !is_possible || self.has_one_within(core, crowd, mask) {
            return None;
        }
        let elements = &mut self.elements;
        self.smallest[core as usize].retain(|&old| {
            let old = &mut elements[old as usize];
            old.is_smallest = !(mask & !old.mask == 0 && is_within(crowd, &old.crowd));
            old.is_smallest
        });
        let number = self.elements.len() as u32;
        self.elements.push(Element { core, crowd: crowd.into(), mask, next, is_smallest: true });
        self.smallest[core as usize].push(number);
        self.waiting.push_back(number);
        let starts = forward.initial_cores.contains(&core)
            && crowd.iter().all(|&member| forward.initial_members.contains(member));
        starts.then_some(number)
    }

    fn has_one_within(&self, core: u32, crowd: &[u32], mask: u64) -> bool {
        self.smallest[core as usize].iter().any(|&old| {
            let old = &self.elements[old as usize];
            old.mask & !mask == 0 && is_within(&old.crowd, crowd)
        })
    }

    /// The smallest elements of a core, in order.
    pub(crate) fn excluded(&self, core: u32) -> Vec<&[u32]> {
        let mut all: Vec<&[u32]> =
            self.smallest[core as usize].iter().map(|&element| &*self.elements[element as usize].crowd).collect();
        all.sort_unstable();
        all
    }
}
