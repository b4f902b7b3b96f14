//! Whether a product is within a union of products.
//!
//! It may be so although it is within none of them. Then it is split in two along a component, and
//! each part is looked at alone, until a part is within one product of the union, or meets none of
//! them. Since the parts get smaller, that comes to an end: a part with a single tuple is within a
//! product or does not meet it. To know is as hard as to refute a formula (CART, proposition
//! 2.2.5), so this may take long; but a union that has with all parts of a product also the whole
//! (it is *maximized*, CART, section 2.2.3) needs no splitting at all.

use crate::CheckError;
use crate::block::{Block, Place};
use crate::desk::Desk;
use crate::sets::Sets;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A part of the product that is outside of all products of the union, if there is one.
pub(crate) fn outside(
    desk: &mut Desk<'_>,
    sets: &mut Sets,
    product: Block,
    union: &[Block],
) -> Result<Option<Block>, CheckError> {
    let all: Rc<[u32]> = (0..union.len() as u32).collect();
    let mut seen = FxHashSet::default();
    let mut pending = vec![(product, all)];
    while let Some((part, candidates)) = pending.pop() {
        if !seen.insert(part.clone()) {
            continue;
        }
        let mut meeting = Vec::new();
        let mut best: Option<(u64, Option<Place>)> = None;
        for &candidate in candidates.iter() {
            desk.ask_budget()?;
            if let Some((places, first)) = part.fit(&union[candidate as usize], sets) {
                meeting.push(candidate);
                if best.is_none_or(|(fewest, _)| places < fewest) {
                    best = Some((places, first));
                }
            }
        }
        match best {
            None => return Ok(Some(part)),
            Some((_, None)) => {}
            Some((_, Some(Place { group, set, other }))) => {
                // Products that do not meet the whole do not meet its parts.
                let meeting: Rc<[u32]> = meeting.into();
                let (inside, outside) = sets.split(set, other);
                pending.push((part.with(group, set, inside), meeting.clone()));
                pending.push((part.with(group, set, outside), meeting));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Roster;
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
        let budget = Budget::unlimited();
        let mut desk = Desk::new(&instance, false, &budget);
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
                let mut block = |components: &Vec<Vec<u32>>| {
                    let numbers: Vec<u32> = components.iter().map(|set| sets.number(set.clone())).collect();
                    Block::of(&roster, &numbers)
                };
                let (inner, outer): (Block, Vec<Block>) = (block(&product), union.iter().map(&mut block).collect());
                let covered: BTreeSet<Vec<u32>> = union.iter().flat_map(|p| tuples(p, is_crowd)).collect();
                let expected = tuples(&product, is_crowd).is_subset(&covered);
                let found = outside(&mut desk, &mut sets, inner, &outer).expect("no limit");
                assert_eq!(found.is_none(), expected, "{product:?} {union:?}");
                if let Some(part) = found {
                    let numbers = part.components(&roster);
                    let part: Vec<Vec<u32>> = numbers.iter().map(|&set| sets.elements(set).to_vec()).collect();
                    assert!(tuples(&part, is_crowd).is_disjoint(&covered));
                }
                counts[usize::from(expected)] += 1;
            }
        }
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
    }
}
