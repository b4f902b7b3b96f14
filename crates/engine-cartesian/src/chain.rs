//! The iterates: growing sets of states `A_i ∪ E_i`, each with the steps of the one before in it.
//!
//! CART, section 3.2: with `A'` the steps of iterate `i`,
//! `A_{i+1} = rho(A_i ∪ rho(A' \ E_{i+1}))`. The main part `A_i` has one product for each store, the
//! exceptions `E_i` have a union. Only what is new in an iterate is stepped again: the steps of the rest
//! are in `A_i ∪ E_i`, and taking away `E_{i+1}`, which contains `E_i`, leaves a part of `A_i`.

use crate::space::{Space, Stop};
use std::collections::BTreeMap;
use threadwise_products::{ProductId, Union};

/// Products by store.
pub(crate) type Products = BTreeMap<u32, Vec<ProductId>>;

/// What something is from each iterate on.
type History<T> = BTreeMap<u32, Vec<(usize, T)>>;

#[derive(Default)]
pub(crate) struct Chain {
    main: History<ProductId>,
    exceptions: History<Union>,
    /// The steps of which each iterate, from the first on, was made; for the first, the initial states.
    steps: Vec<Products>,
}

impl Chain {
    /// The number of iterates; the first is 1.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The steps of the iterate before, as far as they are new; for the first, the initial states.
    pub(crate) fn steps(&self, iterate: usize) -> &Products {
        &self.steps[iterate - 1]
    }

    /// `A_i` at a store.
    pub(crate) fn main(&self, iterate: usize, store: u32) -> Option<ProductId> {
        at(&self.main, iterate, store).copied()
    }

    /// `E_i` at a store.
    pub(crate) fn exceptions(&self, iterate: usize, store: u32) -> Option<&Union> {
        at(&self.exceptions, iterate, store)
    }

    /// All products of `A_i` and `E_i`.
    pub(crate) fn products(&self, iterate: usize) -> Vec<(u32, ProductId)> {
        let main = self.main.keys().filter_map(|&store| Some((store, self.main(iterate, store)?)));
        let exceptions = self.exceptions.keys().flat_map(|&store| {
            let union = self.exceptions(iterate, store).map_or(&[][..], Union::products);
            union.iter().map(move |&product| (store, product))
        });
        main.chain(exceptions).collect()
    }

    /// The stores where the main part is new in an iterate.
    pub(crate) fn new_main(&self, iterate: usize) -> Vec<(u32, ProductId)> {
        let new = |(store, history): (&u32, &Vec<(usize, ProductId)>)| {
            history.iter().rfind(|(from, _)| *from == iterate).map(|(_, product)| (*store, *product))
        };
        self.main.iter().filter_map(new).collect()
    }

    /// The exceptions that are new in an iterate.
    pub(crate) fn new_exceptions(&self, iterate: usize) -> Vec<(u32, ProductId)> {
        let mut new = Vec::new();
        for (&store, history) in &self.exceptions {
            let Some((_, now)) = history.iter().rfind(|(from, _)| *from == iterate) else { continue };
            let before = at(&self.exceptions, iterate - 1, store).map_or(&[][..], Union::products);
            let mut before = before.to_vec();
            before.sort_unstable();
            let products = now.products().iter().filter(|product| before.binary_search(product).is_err());
            new.extend(products.map(|&product| (store, product)));
        }
        new
    }

    /// Everything that is new in an iterate. If nothing is, the chain is stable.
    pub(crate) fn new_products(&self, iterate: usize) -> Vec<(u32, ProductId)> {
        [self.new_main(iterate), self.new_exceptions(iterate)].concat()
    }

    /// Forgets the iterates from this one on, and the exceptions that only later ones have.
    pub(crate) fn cut(&mut self, iterate: usize) {
        self.steps.truncate(iterate - 1);
        self.main.values_mut().for_each(|history| history.retain(|(from, _)| *from < iterate));
        self.exceptions.values_mut().for_each(|history| history.retain(|(from, _)| *from <= iterate));
        self.main.retain(|_, history| !history.is_empty());
        self.exceptions.retain(|_, history| !history.is_empty());
    }

    /// Adds to the exceptions from an iterate on.
    pub(crate) fn except(&mut self, space: &mut Space<'_>, iterate: usize, more: &Products) {
        for (&store, products) in more {
            let now = self.exceptions(iterate, store).cloned().unwrap_or_default();
            let union = now.with(&mut space.algebra, products);
            let history = self.exceptions.entry(store).or_default();
            history.retain(|(from, _)| *from < iterate);
            history.push((iterate, union));
        }
    }

    /// Makes the next iterate of these steps.
    pub(crate) fn push(&mut self, space: &mut Space<'_>, steps: Products) -> Result<(), Stop> {
        let iterate = self.steps.len() + 1;
        for (&store, products) in &steps {
            let before = self.main(iterate - 1, store);
            let mut after = before;
            for &product in products {
                let left = match at(&self.exceptions, iterate, store) {
                    Some(union) => space.algebra.project_difference(product, union, &mut space.pace)?,
                    None => Some(product),
                };
                if let Some(left) = left {
                    after = Some(space.algebra.join(after.unwrap_or(left), left));
                }
            }
            if let Some(after) = after.filter(|_| after != before) {
                self.main.entry(store).or_default().push((iterate, after));
            }
        }
        self.steps.push(steps);
        Ok(())
    }

    /// The steps of what is new in the last iterate, as far as they are not in the iterate itself by one
    /// of its products.
    pub(crate) fn next_steps(&self, space: &mut Space<'_>) -> Result<Products, Stop> {
        let last = self.len();
        let new = self.new_products(last);
        let mut found: BTreeMap<u32, Vec<ProductId>> = BTreeMap::new();
        for &(store, product) in &new {
            for step in space.exits(product, store)?.iter() {
                let next = space.algebra.replace(product, step.group, step.from, step.to);
                if !self.has(space, last, step.store, next) {
                    found.entry(step.store).or_default().push(next);
                }
            }
        }
        let mut unions: BTreeMap<u32, Union> = BTreeMap::new();
        for (store, products) in found {
            unions.insert(store, Union::of(&mut space.algebra, &products));
        }
        for &(store, product) in &new {
            let closure = space.closure(product, store)?;
            let covered = closure == product
                || unions.get(&store).is_some_and(|union| union.contains(&mut space.algebra, closure))
                || self.has(space, last, store, closure);
            if covered {
                continue;
            }
            let mut more = Vec::new();
            let steps = space.inner_steps(product, store)?;
            // If each takes the step of another thread, to where the product does not reach, none is within another.
            let of_different_groups = steps.is_sorted_by(|a, b| a.group < b.group);
            for step in steps {
                let next = space.algebra.replace(product, step.group, step.from, step.to);
                if !self.has(space, last, store, next) {
                    more.push(next);
                }
            }
            if !more.is_empty() {
                let union = unions.remove(&store).unwrap_or_default();
                let union = match of_different_groups {
                    true => union.with_antichain(&mut space.algebra, &more),
                    false => union.with(&mut space.algebra, &more),
                };
                unions.insert(store, union);
            }
        }
        Ok(unions.into_iter().map(|(store, union)| (store, union.products().to_vec())).collect())
    }

    /// Whether one of the products of an iterate contains the given one.
    fn has(&self, space: &mut Space<'_>, iterate: usize, store: u32, product: ProductId) -> bool {
        self.main(iterate, store).is_some_and(|main| space.algebra.is_subset(product, main))
            || self.exceptions(iterate, store).is_some_and(|union| union.contains(&mut space.algebra, product))
    }
}

fn at<T>(history: &History<T>, iterate: usize, store: u32) -> Option<&T> {
    history.get(&store)?.iter().rfind(|(from, _)| *from <= iterate).map(|(_, value)| value)
}
