//! Whether a product is within a union of products.
//!
//! It may be so although it is within none of them. Then it is split in two along a component, and
//! each part is looked at alone, until a part is within one product of the union, or meets none of
//! them. Since the parts get smaller, that comes to an end: a part with a single tuple is within a
//! product or does not meet it. To know is as hard as to refute a formula (CART, proposition
//! 2.2.5), so this may take long; but a union that has with all parts of a product also the whole
//! (it is *maximized*, CART, section 2.2.3) needs no splitting at all. What was split and found to be within the union
//! counts as one of its products from then on.

use crate::Pace;
use crate::block::{Block, Place, Roster};
use crate::order::{order, runs_of};
use crate::sets::Sets;
use threadwise_evidence::Containment;
use threadwise_limits::Limit;

/// The products of a shared store, and what has come to be known to be within their union.
#[derive(Default)]
pub(crate) struct Union {
    pub(crate) blocks: Vec<Block>,
    /// The same with the threads in order.
    pub(crate) runs: Vec<Vec<(u32, u32)>>,
    /// Why the last ones are within the others.
    pub(crate) splits: Vec<Split>,
}

/// A product was split in two: the states with the thread in the set, and the others.
pub(crate) struct Split {
    pub(crate) thread: usize,
    pub(crate) set: u32,
    pub(crate) inside: Containment,
    pub(crate) outside: Containment,
}

impl Union {
    pub(crate) fn push(&mut self, roster: &Roster, runs: Vec<(u32, u32)>) {
        self.blocks.push(Block::of(roster, &runs));
        self.runs.push(runs);
    }

    /// A product that contains all of the part, if there is one; it may be new.
    pub(crate) fn cover(
        &mut self,
        roster: &Roster,
        sets: &mut Sets,
        part: &Block,
        pace: &mut Pace<'_>,
    ) -> Result<Option<u32>, Limit> {
        let mut best: Option<(u64, Place)> = None;
        for (number, block) in self.blocks.iter().enumerate() {
            pace.step()?;
            match part.fit(block, sets) {
                None => {}
                Some((_, None)) => return Ok(Some(number as u32)),
                Some((places, Some(_))) if best.is_some_and(|(fewest, _)| fewest <= places) => {}
                Some((places, Some(first))) => best = Some((places, first)),
            }
        }
        let Some((_, Place { group, set, other })) = best else { return Ok(None) };
        let (inside, outside) = sets.split(set, other);
        let Some(has_inside) = self.cover(roster, sets, &part.with(group, set, inside), pace)? else { return Ok(None) };
        let Some(has_outside) = self.cover(roster, sets, &part.with(group, set, outside), pace)? else {
            return Ok(None);
        };
        let mut components = part.components(roster);
        let runs = runs_of(roster, &components);
        let thread = roster.threads(group).find(|&thread| components[thread] == set).expect("the part has the set");
        let mut containment = |set: u32, product: u32| {
            components[thread] = set;
            let order = order(roster, sets, &runs_of(roster, &components), &self.runs[product as usize]);
            Containment { product, order: order.expect("it is within the product") }
        };
        let (inside, outside) = (containment(inside, has_inside), containment(outside, has_outside));
        self.splits.push(Split { thread, set: other, inside, outside });
        self.push(roster, runs);
        Ok(Some(self.blocks.len() as u32 - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::sync::Arc;
    use threadwise_front_tw::{Options, load};
    use threadwise_ir::{Instance, TemplateId};
    use threadwise_limits::Budget;
    use threadwise_source::SourceFile;

    /// All tuples of a product; with permutations of the last three components, if `is_crowd`.
    fn tuples(components: &[Vec<u32>], is_crowd: bool) -> BTreeSet<Vec<u32>> {
        let mut tuples = vec![Vec::new()];
        for component in components {
            tuples = tuples.iter().flat_map(|t| component.iter().map(move |&e| [&t[..], &[e]].concat())).collect();
        }
        let orders: &[[usize; 3]] =
            if is_crowd { &[[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] } else { &[[0, 1, 2]] };
        let permuted = |tuple: &Vec<u32>| {
            let tuple = tuple.clone();
            orders.iter().map(move |order| {
                let last = order.iter().map(|&at| tuple[2 + at]);
                tuple[..2].iter().copied().chain(last).collect()
            })
        };
        tuples.iter().flat_map(permuted).collect()
    }

    #[test]
    fn like_the_inclusion_of_the_tuples() {
        let text = "thread P { skip; } thread Q { skip; } thread W[3] { skip; }";
        let loaded = load(SourceFile::new("test.tw", text), &Options::default());
        let instance = Instance::new(Arc::new(loaded.program.expect("correct")), 0);
        let mut seed: u64 = 0x2545_f491_4f6c_dd1d;
        let mut roll = move |sides: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % sides
        };
        let mut counts = [0; 2];
        for round in 0..600 {
            let mut random = |least: u64| -> Vec<Vec<u32>> {
                let set = |bits: u64| (0..3).filter(|bit| bits >> bit & 1 == 1).collect();
                (0..5).map(|_| set(least | (1 + roll(7)))).collect()
            };
            let product = random(0);
            let union: Vec<Vec<Vec<u32>>> = (0..1 + round % 9).map(|n| random(n as u64 % 8)).collect();
            for is_crowd in [false, true] {
                let symmetric = [TemplateId(2)];
                let roster = Roster::new(&instance, if is_crowd { &symmetric } else { &[] });
                let mut sets = Sets::default();
                let mut runs = |components: &Vec<Vec<u32>>| {
                    let numbers: Vec<u32> = components.iter().map(|set| sets.number(set.clone())).collect();
                    runs_of(&roster, &numbers)
                };
                let inner = runs(&product);
                let outer: Vec<Vec<(u32, u32)>> = union.iter().map(&mut runs).collect();
                let mut known = Union::default();
                outer.into_iter().for_each(|runs| known.push(&roster, runs));
                let covered: BTreeSet<Vec<u32>> = union.iter().flat_map(|p| tuples(p, is_crowd)).collect();
                let expected = tuples(&product, is_crowd).is_subset(&covered);
                let (part, budget) = (Block::of(&roster, &inner), Budget::unlimited());
                let found = known.cover(&roster, &mut sets, &part, &mut Pace::new(&budget)).expect("no limit");
                assert_eq!(found.is_some(), expected, "{product:?} {union:?}");
                let is_within = |&at: &u32| order(&roster, &sets, &inner, &known.runs[at as usize]).is_some();
                assert!(found.as_ref().is_none_or(is_within), "{product:?} {union:?}");
                counts[usize::from(expected)] += 1;
            }
        }
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
    }
}
