//! All maximal products within a union, by product resolution (CART, section 2.2.4).

use crate::bags::{BagId, for_each_pairing};
use crate::sets::SetId;
use crate::tree::{Algebra, ProductId};
use crate::union::Union;

/// Larger unions are not maximized.
const LARGEST: usize = 48;

/// A union with more maximal products than this is not maximized.
const MOST_MAXIMAL: usize = 256;

impl Algebra {
    /// All maximal products within the union: an antichain such that every product within the union is
    /// within one of them. It is found once and kept with the union. `None` for unions that are large or
    /// have very many maximal products.
    pub fn maximized<'u>(&mut self, union: &'u Union) -> Option<&'u [ProductId]> {
        union.maximized.get_or_init(|| self.saturate(union.products())).as_deref()
    }

    /// Adds resolvents that are not within a product that is there, and removes what is within a new
    /// one, until nothing changes.
    fn saturate(&mut self, products: &[ProductId]) -> Option<Vec<ProductId>> {
        if products.len() > LARGEST {
            return None;
        }
        let mut saturated: Vec<ProductId> = Vec::new();
        let mut waiting: Vec<ProductId> = products.to_vec();
        while let Some(product) = waiting.pop() {
            if saturated.iter().any(|&there| self.is_subset(product, there)) {
                continue;
            }
            saturated.retain(|&there| !self.is_subset(there, product));
            for other in saturated.clone() {
                waiting.extend(self.resolvents(product, other));
            }
            // A product with several threads of a kind can be resolved with permutations of itself.
            waiting.extend(self.resolvents(product, product));
            saturated.push(product);
            if saturated.len() + waiting.len() > 64 * MOST_MAXIMAL || saturated.len() > MOST_MAXIMAL {
                return None;
            }
        }
        saturated.sort_unstable();
        Some(saturated)
    }

    /// In one thread the union of the two products, in all others their intersection.
    fn resolvents(&mut self, a: ProductId, b: ProductId) -> Vec<ProductId> {
        let disjoint = self.disjoint_groups(a, b, 2);
        let axes = match disjoint[..] {
            // Where a thread of its own has the same set in both, nothing is won.
            [] => {
                let mut axes = self.differing_groups(a, b, usize::MAX);
                axes.extend((0..self.group_sizes().len()).filter(|&group| self.group_sizes()[group] > 1));
                axes.sort_unstable();
                axes.dedup();
                axes
            }
            [only] => vec![only],
            _ => return Vec::new(),
        };
        let mut resolvents = Vec::new();
        for axis in axes {
            let (left, right) = (self.bags(a), self.bags(b));
            let mut results: Vec<Vec<BagId>> = vec![Vec::new()];
            for (group, (x, y)) in left.into_iter().zip(right).enumerate() {
                let choices = if group == axis {
                    self.resolved_bags(x, y)
                } else {
                    self.bags.intersections(&mut self.sets, x, y)
                };
                results = results.iter().flat_map(|r| choices.iter().map(|&c| [&r[..], &[c]].concat())).collect();
            }
            for bags in results {
                let resolvent = self.product(&bags);
                if !self.is_subset(resolvent, a) && !self.is_subset(resolvent, b) && !resolvents.contains(&resolvent) {
                    resolvents.push(resolvent);
                }
            }
        }
        resolvents
    }

    /// The bags that result when the sets are paired off, one pair gives its union, and all others
    /// their intersections.
    fn resolved_bags(&mut self, a: BagId, b: BagId) -> Vec<BagId> {
        let (from, to) = (self.bags.entries(a).to_vec(), self.bags.entries(b).to_vec());
        let mut found = Vec::new();
        for &(x, _) in &from {
            for &(y, _) in &to {
                let union = self.sets.union(x, y);
                let (rest, other) = (without(&from, x), without(&to, y));
                let mut pairings = Vec::new();
                let sets = &self.sets;
                for_each_pairing(&rest, &other, &|x, y| sets.meet(x, y), &mut |pairs| pairings.push(pairs.to_vec()));
                for pairs in pairings {
                    let meet = pairs.into_iter().map(|(x, y, count)| (self.sets.intersection(x, y), count));
                    let mut entries: Vec<(SetId, u32)> = meet.collect();
                    entries.push((union, 1));
                    found.push(self.bags.of(entries));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn without(entries: &[(SetId, u32)], set: SetId) -> Vec<(SetId, u32)> {
    let fewer = entries.iter().map(|&(other, count)| (other, if other == set { count - 1 } else { count }));
    fewer.filter(|entry| entry.1 > 0).collect()
}
