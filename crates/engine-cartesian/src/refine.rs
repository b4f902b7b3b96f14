//! CEGAR-TM: exception sets found by counterexample-guided refinement (CART, section 3.2).

use crate::chain::{Chain, Products};
use crate::danger::{Danger, axes_of};
use crate::proof::proof;
use crate::space::{Space, Stop};
use crate::trace::BadChain;
use std::collections::BTreeMap;
#[cfg(debug_assertions)]
use std::collections::BTreeSet;
use threadwise_evidence::CartesianProof;
use threadwise_products::{ProductId, SetId, Union};

/// How `Extract` chooses among the threads that tell errors from the iterate before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Extract {
    /// The first such thread.
    Lazy,
    /// All of them.
    #[default]
    Eager,
}

impl Extract {
    /// The ways to choose by the names that users give, each with what it means.
    pub const CHOICES: [(Extract, &'static str, &'static str); 2] = [
        (Extract::Lazy, "lazy", "Those of the first thread that tells the error from what was there before"),
        (Extract::Eager, "eager", "Those of all such threads"),
    ];
}

/// From which iterate on an extracted exception set is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Refine {
    /// From the pivot on: the iterates before it stay.
    #[default]
    Lazy,
    /// From the first iterate on: everything is computed anew.
    Eager,
}

impl Refine {
    /// The ways to refine by the names that users give, each with what it means.
    pub const CHOICES: [(Refine, &'static str, &'static str); 2] = [
        (Refine::Lazy, "lazy", "From the step that was too coarse; what comes before it is kept"),
        (Refine::Eager, "eager", "From the start; everything is computed anew"),
    ];
}

/// An iterate, as it was computed.
#[derive(Clone, Debug)]
pub struct Iterate {
    /// How many refinements there were before.
    pub refinements: u64,
    /// Its number, from 1.
    pub number: usize,
    /// The main part and the exceptions.
    pub states: CartesianProof,
}

/// Is told of each iterate.
pub(crate) type Watcher<'w> = &'w mut dyn FnMut(&Iterate);

/// How it ended.
pub(crate) enum End {
    /// The last iterate is closed under steps and has no error.
    Safe,
    /// These lead from the initial states to an error.
    Unsafe(Vec<BadChain>),
}

/// What `Analyze` found.
enum Analysis {
    /// A chain of states from the initial ones to an error: by iterate, from the first on.
    Real(Vec<Products>),
    /// The iterate that is too coarse, and the states from there on that lead to an error.
    Spurious(usize, Vec<Products>),
    /// The same where no step leads to the errors of the last iterate, which are in its main part.
    Last,
}

/// What is new in an iterate.
#[cfg(debug_assertions)]
type NewProducts = Vec<(u32, ProductId)>;

/// A run of the refinement loop.
pub(crate) struct Run<'s, 'a, 'w> {
    pub(crate) space: &'s mut Space<'a>,
    pub(crate) danger: Danger,
    pub(crate) chain: Chain,
    pub(crate) initial: Products,
    pub(crate) extract: Extract,
    /// States that are known to lead to an error. They are taken for errors themselves.
    doomed: BTreeMap<u32, Union>,
    /// How they lead there.
    chains: Vec<BadChain>,
    /// How many counterexamples were spurious.
    pub(crate) refinements: u64,
    /// How many iterates were computed.
    pub(crate) iterates: u64,
    /// Is told of each iterate.
    pub(crate) watcher: Option<Watcher<'w>>,
    /// The counterexamples so far, each with how many chains were known then.
    #[cfg(debug_assertions)]
    seen: BTreeSet<(usize, Vec<NewProducts>)>,
}

impl<'s, 'a> Run<'s, 'a, '_> {
    pub(crate) fn new(
        space: &'s mut Space<'a>,
        danger: Danger,
        initial: &[(u32, ProductId)],
        extract: Extract,
    ) -> Self {
        let mut products = Products::new();
        for &(store, product) in initial {
            products.entry(store).or_default().push(product);
        }
        Run {
            space,
            danger,
            chain: Chain::default(),
            initial: products,
            extract,
            doomed: BTreeMap::new(),
            chains: Vec::new(),
            refinements: 0,
            iterates: 0,
            watcher: None,
            #[cfg(debug_assertions)]
            seen: BTreeSet::new(),
        }
    }

    /// The least fixpoint of the abstract steps with the exceptions of the chain, errors or not.
    pub(crate) fn fixpoint(&mut self) -> Result<(), Stop> {
        self.push(self.initial.clone())?;
        while self.advance()? {}
        Ok(())
    }

    /// The refinement loop: iterates up to an error or a fixpoint; an error that is none of the
    /// program's is removed by exceptions from the pivot on.
    ///
    /// DIVERGENCE: states that were found to lead to an error count as errors from then on, in this loop
    /// too and not only in the eager one. So an iterate that has such a state is known to be too coarse
    /// before the error itself is reached again, and the errors become closed under predecessors, which
    /// makes the loop end faster (CART, theorem 3.5.18).
    pub(crate) fn refine_lazily(&mut self) -> Result<End, Stop> {
        self.push(self.initial.clone())?;
        loop {
            if !self.is_dangerous()? {
                if !self.advance()? {
                    return Ok(End::Safe);
                }
                continue;
            }
            let (pivot, exceptions) = match self.analyze()? {
                Analysis::Real(states) => return Ok(self.refuted(states)),
                Analysis::Spurious(pivot, bad) => {
                    let exceptions = self.extract(pivot, &bad[0])?;
                    self.learn(bad);
                    (pivot, exceptions)
                }
                Analysis::Last => (self.chain.len(), self.extract_last()?),
            };
            self.count_refinement();
            let steps = self.chain.steps(pivot).clone();
            self.chain.cut(pivot);
            self.chain.except(self.space, pivot, &exceptions);
            self.push(steps)?;
        }
    }

    /// The same with all exceptions from the first iterate on. Exceptions that lead to an error are
    /// moved to the errors (CART, section 3.7).
    pub(crate) fn refine_eagerly(&mut self, mut exceptions: Products) -> Result<End, Stop> {
        loop {
            self.chain = Chain::default();
            self.chain.except(self.space, 1, &exceptions);
            self.push(self.initial.clone())?;
            while !self.is_dangerous()? {
                if !self.advance()? {
                    return Ok(End::Safe);
                }
            }
            match self.analyze()? {
                Analysis::Real(states) => return Ok(self.refuted(states)),
                Analysis::Last => {
                    let more = self.extract_last()?;
                    self.add(&mut exceptions, more);
                }
                Analysis::Spurious(pivot, bad) => {
                    let doomed = self.within_exceptions(&bad[0], &exceptions);
                    if doomed.is_empty() {
                        let more = self.extract(pivot, &bad[0])?;
                        self.add(&mut exceptions, more);
                    } else {
                        exceptions = self.without(&exceptions, &doomed)?;
                    }
                    self.learn(bad);
                }
            }
            self.count_refinement();
        }
    }

    /// Remembers states that lead to an error.
    fn learn(&mut self, states: Vec<Products>) {
        for (&store, products) in states.iter().flatten() {
            let known = self.doomed.remove(&store).unwrap_or_default();
            self.doomed.insert(store, known.with(&mut self.space.algebra, products));
        }
        self.chains.push(BadChain { states });
    }

    fn refuted(&mut self, states: Vec<Products>) -> End {
        self.chains.push(BadChain { states });
        End::Unsafe(std::mem::take(&mut self.chains))
    }

    fn add(&mut self, exceptions: &mut Products, more: Products) {
        for (store, products) in more {
            let there = exceptions.entry(store).or_default();
            *there =
                Union::of(&mut self.space.algebra, there).with(&mut self.space.algebra, &products).products().to_vec();
        }
    }

    fn within_exceptions(&mut self, bad: &Products, exceptions: &Products) -> Products {
        let mut within = Products::new();
        for (store, products) in bad {
            for &exception in exceptions.get(store).map_or(&[][..], |e| e) {
                for &product in products {
                    let both = self.space.algebra.intersections(product, exception);
                    if !both.is_empty() {
                        within.entry(*store).or_default().extend(both);
                    }
                }
            }
        }
        within
    }

    fn without(&mut self, exceptions: &Products, gone: &Products) -> Result<Products, Stop> {
        let mut left = Products::new();
        for (store, products) in exceptions {
            let algebra = &mut self.space.algebra;
            let gone = Union::of(algebra, gone.get(store).map_or(&[][..], |g| g));
            for &product in products {
                let pieces = algebra.difference(product, &gone, &mut self.space.pace)?;
                if !pieces.is_empty() {
                    left.entry(*store).or_default().extend(pieces);
                }
            }
        }
        Ok(left)
    }

    fn push(&mut self, steps: Products) -> Result<(), Stop> {
        self.iterates += 1;
        let (iterate, refinements) = (self.chain.len() + 1, self.refinements);
        self.space.pace.budget().report(|| format!("iterate {iterate} after {refinements} refinements"));
        self.chain.push(self.space, steps)?;
        if let Some(watcher) = self.watcher.take() {
            let states = proof(self);
            watcher(&Iterate { refinements, number: iterate, states });
            self.watcher = Some(watcher);
        }
        Ok(self.space.pace.budget().check()?)
    }

    /// Computes the next iterate; `false` if it would be the same.
    fn advance(&mut self) -> Result<bool, Stop> {
        if self.chain.new_products(self.chain.len()).is_empty() {
            return Ok(false);
        }
        let steps = self.chain.next_steps(self.space)?;
        self.push(steps)?;
        Ok(true)
    }

    /// Whether the last iterate has an error. The one before has none, so the new products tell.
    fn is_dangerous(&mut self) -> Result<bool, Stop> {
        let new = self.chain.new_products(self.chain.len());
        for (store, product) in new {
            if self.danger.exists(self.space, store, product)? || self.is_doomed(store, product) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_doomed(&mut self, store: u32, product: ProductId) -> bool {
        self.doomed.get(&store).is_some_and(|doomed| doomed.meets(&mut self.space.algebra, product))
    }

    /// The states of a product that are known to lead to an error.
    fn doomed_in(&mut self, store: u32, product: ProductId) -> Vec<ProductId> {
        let Some(doomed) = self.doomed.get(&store) else { return Vec::new() };
        let meeting = doomed.meeting(&mut self.space.algebra, product);
        meeting.into_iter().flat_map(|doomed| self.space.algebra.intersections(product, doomed)).collect()
    }

    /// The errors in a product.
    fn errors(&mut self, store: u32, product: ProductId) -> Result<Vec<ProductId>, Stop> {
        let mut errors = self.danger.products(self.space, store, product)?;
        errors.extend(self.doomed_in(store, product));
        Ok(errors)
    }

    /// Goes back from the errors of the last iterate to where they cannot come from the iterate before
    /// (CART, figure 3.3).
    fn analyze(&mut self) -> Result<Analysis, Stop> {
        let last = self.chain.len();
        if !self.is_dangerous_before_abstraction(last)? {
            return Ok(Analysis::Last);
        }
        let mut errors = Products::new();
        for (store, product) in self.chain.new_products(last) {
            let found = self.errors(store, product)?;
            if !found.is_empty() {
                errors.entry(store).or_default().extend(found);
            }
        }
        let mut bad = vec![self.reduced(errors)];
        let mut iterate = last;
        while iterate > 1 {
            let before = self.leading_to(iterate - 1, &bad[bad.len() - 1])?;
            if before.is_empty() {
                bad.reverse();
                return Ok(Analysis::Spurious(iterate, bad));
            }
            bad.push(before);
            iterate -= 1;
        }
        let initial = self.within_exceptions(&bad[bad.len() - 1], &self.initial.clone());
        bad.reverse();
        if initial.is_empty() {
            return Ok(Analysis::Spurious(1, bad));
        }
        bad[0] = initial;
        Ok(Analysis::Real(bad))
    }

    /// Whether a step to an iterate, or a new exception there, is an error already.
    fn is_dangerous_before_abstraction(&mut self, iterate: usize) -> Result<bool, Stop> {
        let steps = self.chain.steps(iterate).iter();
        let steps = steps.flat_map(|(&store, products)| products.iter().map(move |&product| (store, product)));
        let all: Vec<(u32, ProductId)> = steps.chain(self.chain.new_exceptions(iterate)).collect();
        for (store, product) in all {
            if self.danger.exists(self.space, store, product)? || self.is_doomed(store, product) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Merges products and drops those within others.
    fn reduced(&mut self, products: Products) -> Products {
        let algebra = &mut self.space.algebra;
        products.into_iter().map(|(s, p)| (s, Union::of(algebra, &p).products().to_vec())).collect()
    }

    /// The states of an iterate from which a step leads to one of the given states.
    fn leading_to(&mut self, iterate: usize, bad: &Products) -> Result<Products, Stop> {
        let mut found = Products::new();
        for (store, product) in self.chain.products(iterate) {
            for (&to_store, targets) in bad {
                for &target in targets {
                    self.space.pace.step()?;
                    let before = self.leading_from((store, product), (to_store, target))?;
                    if !before.is_empty() {
                        found.entry(store).or_default().extend(before);
                    }
                }
            }
        }
        Ok(self.reduced(found))
    }

    fn leading_from(
        &mut self,
        (store, product): (u32, ProductId),
        (to_store, target): (u32, ProductId),
    ) -> Result<Vec<ProductId>, Stop> {
        let mut found = Vec::new();
        for group in 0..self.space.groups.len() {
            let from = self.space.algebra.hull(product, group);
            for (set, _) in self.space.algebra.entries(target, group).to_vec() {
                let before = self.space.before(group, (store, from), (to_store, set))?;
                if !before.is_empty() {
                    let source = self.space.algebra.replace(target, group, set, before);
                    found.extend(self.space.algebra.intersections(product, source));
                }
            }
        }
        Ok(found)
    }

    /// `Extract` where the errors are in the main part of the last iterate and no step leads to them.
    fn extract_last(&mut self) -> Result<Products, Stop> {
        let last = self.chain.len();
        let mut exceptions = Products::new();
        for (store, product) in self.chain.new_main(last) {
            let old = self.chain.main(last - 1, store);
            let doomed = self.doomed_in(store, product);
            let axes = match self.extract {
                Extract::Eager => {
                    let mut axes = self.danger.axes(self.space, store, product, old)?;
                    if let Some(axes) = &mut axes {
                        doomed.into_iter().for_each(|bad| axes_of(self.space, bad, old, axes));
                    }
                    axes
                }
                Extract::Lazy => {
                    let bad = [self.danger.products(self.space, store, product)?, doomed].concat();
                    Some(self.axes(&bad, old))
                }
            };
            self.extract_along(last, store, axes.as_deref(), &mut exceptions);
        }
        Ok(exceptions)
    }

    /// `Extract(A, A', Bad)`: a part of the steps `A'` without which the abstraction has none of the bad
    /// states. The steps are kept apart whose local state, in some thread that tells a bad product from
    /// `A`, is that of the bad product.
    fn extract(&mut self, pivot: usize, bad: &Products) -> Result<Products, Stop> {
        let mut exceptions = Products::new();
        for (&store, bad) in bad {
            let old = self.chain.main(pivot - 1, store);
            self.check_precondition(pivot, store, bad);
            let axes = self.axes(bad, old);
            self.extract_along(pivot, store, Some(&axes), &mut exceptions);
        }
        Ok(exceptions)
    }

    /// For each group the local states along which bad products are told from `old`.
    fn axes(&mut self, bad: &[ProductId], old: Option<ProductId>) -> Vec<SetId> {
        let mut axes = vec![SetId::EMPTY; self.space.groups.len()];
        for &bad in bad {
            match self.extract {
                Extract::Eager => axes_of(self.space, bad, old, &mut axes),
                Extract::Lazy => {
                    let mut all = vec![SetId::EMPTY; self.space.groups.len()];
                    axes_of(self.space, bad, old, &mut all);
                    if let Some(first) = all.iter().position(|set| !set.is_empty()) {
                        axes[first] = self.space.algebra.sets.union(axes[first], all[first]);
                    }
                }
            }
        }
        axes
    }

    /// The steps at a store that have a local state on an axis; all of them, if there are no axes.
    fn extract_along(&mut self, pivot: usize, store: u32, axes: Option<&[SetId]>, exceptions: &mut Products) {
        let Some(steps) = self.chain.steps(pivot).get(&store) else { return };
        let Some(axes) = axes else {
            exceptions.entry(store).or_default().extend(steps);
            return;
        };
        let algebra = &mut self.space.algebra;
        let axes: Vec<(usize, SetId)> = axes.iter().copied().enumerate().filter(|(_, axis)| !axis.is_empty()).collect();
        let mut found = Vec::new();
        for &step in steps {
            for &(group, axis) in &axes {
                for (set, _) in algebra.entries(step, group).to_vec() {
                    let part = algebra.sets.intersection(set, axis);
                    if !part.is_empty() {
                        found.push(algebra.replace(step, group, set, part));
                    }
                }
            }
        }
        if !found.is_empty() {
            exceptions.entry(store).or_default().extend(found);
        }
    }

    /// CART, figure 3.4 and proposition 3.5.6: neither `A` nor `A'` has a bad state.
    fn check_precondition(&mut self, pivot: usize, store: u32, bad: &[ProductId]) {
        if cfg!(debug_assertions) {
            let steps = self.chain.steps(pivot).get(&store).cloned().unwrap_or_default();
            for product in steps.into_iter().chain(self.chain.main(pivot - 1, store)) {
                assert!(bad.iter().all(|&bad| !self.space.algebra.meet(product, bad)), "Extract is asked too much");
            }
        }
    }

    /// CART, theorem 3.5.9: no counterexample occurs twice.
    fn count_refinement(&mut self) {
        self.refinements += 1;
        #[cfg(debug_assertions)]
        {
            let iterates = (1..=self.chain.len()).map(|iterate| self.chain.new_products(iterate)).collect();
            assert!(self.seen.insert((self.chains.len(), iterates)), "the same counterexample occurs twice");
        }
    }
}
