//! Deadlocks and cycles of locks in products.
//!
//! The deadlocks of a product are products themselves: all threads are still, which is a matter of each by itself, and
//! one is stuck. So are the cycles of locks, one product for each way around.

use crate::danger::Danger;
use crate::space::{Space, Stop, forget_if_large};
use std::rc::Rc;
use threadwise_ir::PropertyId;
use threadwise_ir::deadlock::{ENDED, WAITS};
use threadwise_products::{ProductId, SetId};

/// A pattern of all threads.
#[derive(Clone, Copy)]
pub(crate) enum Waiting {
    /// The predicates that a thread is still, and that it is stuck.
    Deadlock {
        still: usize,
        stuck: usize,
    },
    LockCycle(PropertyId),
}

/// For whom a thread may wait, with the local states in which it does, and those in which it has ended.
pub(crate) struct Held {
    waits: Vec<(usize, SetId)>,
    ended: SetId,
}

impl Danger {
    /// The states of the product that meet a pattern of all threads, as products.
    pub(crate) fn waiting_products(
        &mut self,
        space: &mut Space<'_>,
        number: usize,
        store: u32,
        product: ProductId,
    ) -> Result<Rc<[ProductId]>, Stop> {
        if let Some(known) = self.waiting_in.get(&(number, store, product)) {
            return Ok(known.clone());
        }
        forget_if_large(&mut self.waiting_in);
        let found: Rc<[ProductId]> = match self.waiting[number] {
            Waiting::Deadlock { still, stuck } => self.deadlocks(space, (still, stuck), store, product)?,
            Waiting::LockCycle(property) => self.lock_cycles(space, property, store, product)?,
        }
        .into();
        self.waiting_in.insert((number, store, product), found.clone());
        Ok(found)
    }

    fn deadlocks(
        &mut self,
        space: &mut Space<'_>,
        (still, stuck): (usize, usize),
        store: u32,
        product: ProductId,
    ) -> Result<Vec<ProductId>, Stop> {
        let mut at_rest = product;
        for group in 0..space.groups.len() {
            for (set, count) in space.algebra.entries(product, group).to_vec() {
                let part = self.satisfying(space, still, group, store, set)?;
                if part.is_empty() {
                    return Ok(Vec::new());
                }
                for _ in 0..count {
                    at_rest = space.algebra.replace(at_rest, group, set, part);
                }
            }
        }
        let mut found = Vec::new();
        for group in 0..space.groups.len() {
            for (set, _) in space.algebra.entries(at_rest, group).to_vec() {
                let part = self.satisfying(space, stuck, group, store, set)?;
                if !part.is_empty() {
                    found.push(space.algebra.replace(at_rest, group, set, part));
                }
            }
        }
        Ok(found)
    }

    /// Threads that are taken together have no identities in the shared store, so nobody waits for them.
    fn lock_cycles(
        &mut self,
        space: &mut Space<'_>,
        property: PropertyId,
        store: u32,
        product: ProductId,
    ) -> Result<Vec<ProductId>, Stop> {
        let mut group_of = vec![0; space.instance.threads.len()];
        let mut held = Vec::new();
        for group in 0..space.groups.len() {
            group_of[space.groups[group].threads.clone()].fill(group);
            held.push(self.held(space, property, group, store, product)?);
        }
        let mut found = Vec::new();
        let narrowed = |space: &mut Space<'_>, part: ProductId, group: usize, to: SetId| {
            let (from, _) = space.algebra.entries(product, group)[0];
            space.algebra.replace(part, group, from, to)
        };
        for start in 0..space.groups.len() {
            for &(holder, waiting) in &held[start].waits {
                let holder = group_of[holder];
                if holder != start && !held[holder].ended.is_empty() {
                    let part = narrowed(space, product, start, waiting);
                    found.push(narrowed(space, part, holder, held[holder].ended));
                }
            }
            // All ways around on which this thread is the first one, so that each is found once.
            let mut ways = vec![(vec![start], product)];
            while let Some((way, part)) = ways.pop() {
                space.pace.step()?;
                let last = way[way.len() - 1];
                for &(holder, waiting) in &held[last].waits {
                    let holder = group_of[holder];
                    if holder == start {
                        found.push(narrowed(space, part, last, waiting));
                    } else if holder > start && !way.contains(&holder) {
                        let part = narrowed(space, part, last, waiting);
                        ways.push(([way.as_slice(), &[holder]].concat(), part));
                    }
                }
            }
        }
        Ok(found)
    }

    /// For whom the thread of a group may wait in a product.
    fn held(
        &mut self,
        space: &mut Space<'_>,
        property: PropertyId,
        group: usize,
        store: u32,
        product: ProductId,
    ) -> Result<Rc<Held>, Stop> {
        let set = match space.algebra.entries(product, group)[..] {
            [(set, 1)] => set,
            _ => return Ok(Rc::new(Held { waits: Vec::new(), ended: SetId::EMPTY })),
        };
        if let Some(known) = self.held.get(&(property, group, store, set)) {
            return Ok(known.clone());
        }
        forget_if_large(&mut self.held);
        space.pace.step()?;
        let mut waiting: std::collections::BTreeMap<usize, Vec<u32>> = std::collections::BTreeMap::new();
        let mut ended = Vec::new();
        for local in space.algebra.sets.elements(set) {
            for observation in space.shown(group, store, local)?.of(property) {
                match observation.sign {
                    WAITS => {
                        let holders = observation.first..=observation.last;
                        holders.for_each(|holder| waiting.entry(holder as usize - 1).or_default().push(local));
                    }
                    ENDED => ended.push(local),
                    _ => {}
                }
            }
        }
        let mut waits = Vec::new();
        for (holder, locals) in waiting {
            waits.push((holder, space.algebra.sets.of(locals)));
        }
        let held = Rc::new(Held { waits, ended: space.algebra.sets.of(ended) });
        self.held.insert((property, group, store, set), held.clone());
        Ok(held)
    }
}
