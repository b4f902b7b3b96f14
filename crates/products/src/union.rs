//! Unions of products.

use crate::tree::{Algebra, ProductId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// In unions up to this size, counted in components, products that can be merged are looked for.
const MERGE_UP_TO: usize = 1 << 13;

/// A union of products, none of them within another.
///
/// Above the products is a tree of bounds: each bound is a product that contains the two below it.
/// Products that meet or contain a given one are found by going down from the top.
#[derive(Clone, Debug, Default)]
pub struct Union {
    products: Vec<ProductId>,
    members: FxHashSet<ProductId>,
    /// Bounds of pairs of products, of pairs of these, and so on.
    bounds: Vec<Vec<ProductId>>,
    /// All maximal products within the union, where that has been found out.
    pub(crate) maximized: OnceCell<Option<Vec<ProductId>>>,
}

impl Union {
    /// The union of some products.
    pub fn of(algebra: &mut Algebra, products: &[ProductId]) -> Union {
        Union::default().with(algebra, products)
    }

    pub fn products(&self) -> &[ProductId] {
        &self.products
    }

    /// Whether the given product is one of them.
    pub(crate) fn has_member(&self, product: ProductId) -> bool {
        self.members.contains(&product)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.products.is_empty()
    }

    /// The union of this one and more products. Subsumed ones are left out; in small unions, products
    /// are merged where nothing is lost.
    pub fn with(&self, algebra: &mut Algebra, more: &[ProductId]) -> Union {
        self.with_more(algebra, more, false)
    }

    /// The same for more products none of which is within another of them, which saves comparing them.
    pub fn with_antichain(&self, algebra: &mut Algebra, more: &[ProductId]) -> Union {
        self.with_more(algebra, more, true)
    }

    fn with_more(&self, algebra: &mut Algebra, more: &[ProductId], is_antichain: bool) -> Union {
        let mut gone = vec![false; self.products.len()];
        let mut added = Union::default();
        let mut added_gone: Vec<bool> = Vec::new();
        for &product in more {
            if self.members.contains(&product) || added.members.contains(&product) {
                continue;
            }
            if self.is_within_one(algebra, product, &mut gone) {
                continue;
            }
            if is_antichain {
                added.products.push(product);
                added.members.insert(product);
                added_gone.push(false);
                continue;
            }
            if added.is_within_one(algebra, product, &mut added_gone) {
                continue;
            }
            added.push(algebra, product);
            added_gone.push(false);
        }
        let all = self.products.iter().zip(&gone).chain(added.products.iter().zip(&added_gone));
        let mut kept: Vec<ProductId> = all.filter(|(_, gone)| !**gone).map(|(product, _)| *product).collect();
        if kept.len() > 1 && kept.len() * algebra.group_sizes().len() <= MERGE_UP_TO {
            merge_all(algebra, &mut kept);
        }
        let mut union = Union::default();
        kept.into_iter().for_each(|product| union.push(algebra, product));
        union
    }

    /// Whether one of the products contains the given one; if none does, marks those that it contains.
    fn is_within_one(&self, algebra: &mut Algebra, product: ProductId, contained: &mut [bool]) -> bool {
        !self.find(algebra, product, &mut |algebra, index, found| {
            let within = algebra.is_subset(product, found);
            contained[index] |= !within && algebra.is_subset(found, product);
            !within
        })
    }

    /// Adds a product at the end and to the bounds above it.
    fn push(&mut self, algebra: &mut Algebra, product: ProductId) {
        self.products.push(product);
        self.members.insert(product);
        let mut index = self.products.len() - 1;
        let mut level = 0;
        while index > 0 || self.bounds.len() > level {
            index /= 2;
            if self.bounds.len() == level {
                let below = if level == 0 { &self.products } else { &self.bounds[level - 1] };
                let bound = below[..below.len() - 1].iter().copied().reduce(|a, b| algebra.join(a, b));
                self.bounds.push(Vec::from_iter(bound));
            }
            match self.bounds[level].get(index) {
                Some(&bound) => self.bounds[level][index] = algebra.join(bound, product),
                None => self.bounds[level].push(algebra.join(product, product)),
            }
            level += 1;
        }
        self.maximized = OnceCell::new();
    }

    /// Visits the products that meet the given one, until `visit` says no.
    fn find(
        &self,
        algebra: &mut Algebra,
        product: ProductId,
        visit: &mut dyn FnMut(&mut Algebra, usize, ProductId) -> bool,
    ) -> bool {
        let top = self.bounds.len();
        let roots = if top == 0 { self.products.len() } else { self.bounds[top - 1].len() };
        (0..roots).all(|index| self.find_below(algebra, product, top, index, visit))
    }

    fn find_below(
        &self,
        algebra: &mut Algebra,
        product: ProductId,
        level: usize,
        index: usize,
        visit: &mut dyn FnMut(&mut Algebra, usize, ProductId) -> bool,
    ) -> bool {
        let here = match level {
            0 => self.products.get(index),
            _ => self.bounds[level - 1].get(index),
        };
        let Some(&here) = here else { return true };
        if !algebra.meet(here, product) {
            return true;
        }
        if level == 0 {
            return visit(algebra, index, here);
        }
        self.find_below(algebra, product, level - 1, 2 * index, visit)
            && self.find_below(algebra, product, level - 1, 2 * index + 1, visit)
    }

    /// Whether one of the products contains the given one.
    pub fn contains(&self, algebra: &mut Algebra, product: ProductId) -> bool {
        self.members.contains(&product)
            || !self.find(algebra, product, &mut |algebra, _, found| !algebra.is_subset(product, found))
    }

    /// Whether some tuple of the product is in the union.
    pub fn meets(&self, algebra: &mut Algebra, product: ProductId) -> bool {
        !self.find(algebra, product, &mut |_, _, _| false)
    }

    /// The products that meet the given one.
    pub fn meeting(&self, algebra: &mut Algebra, product: ProductId) -> Vec<ProductId> {
        let mut meeting = Vec::new();
        self.find(algebra, product, &mut |_, _, found| {
            meeting.push(found);
            true
        });
        meeting
    }
}

/// Merges products that differ in one set only until there are none. To find them, each product is
/// filed under what is left of it without one of its sets, for each of its sets.
fn merge_all(algebra: &mut Algebra, products: &mut Vec<ProductId>) {
    let mut filed: FxHashMap<ProductId, ProductId> = FxHashMap::default();
    let mut alive: FxHashSet<ProductId> = products.iter().copied().collect();
    let unmerged = products.len();
    let mut waiting: Vec<ProductId> = products.iter().rev().copied().collect();
    while let Some(product) = waiting.pop() {
        if !alive.contains(&product) {
            continue;
        }
        let partner = algebra.without_one_set(product).into_iter().find_map(|rest| {
            let partner = *filed.entry(rest).or_insert(product);
            if alive.contains(&partner) {
                (partner != product).then_some(partner)
            } else {
                filed.insert(rest, product);
                None
            }
        });
        let merged = partner.and_then(|partner| Some((partner, algebra.merge(partner, product)?)));
        if let Some((partner, merged)) = merged {
            alive.remove(&partner);
            alive.remove(&product);
            alive.insert(merged);
            products.push(merged);
            waiting.push(merged);
        }
    }
    let merged: Vec<ProductId> = products[unmerged..].iter().copied().filter(|p| alive.contains(p)).collect();
    let mut seen = FxHashSet::default();
    products.retain(|product| alive.contains(product) && seen.insert(*product));
    // A merged product may contain others.
    products.retain(|&product| !merged.iter().any(|&other| other != product && algebra.is_subset(product, other)));
}
