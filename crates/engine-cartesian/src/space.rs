//! The program as the analysis sees it: groups of interchangeable threads, and how sets of local
//! states move.

use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;
use threadwise_ir::{Gap, Instance, Observations, TemplateId, ThreadId};
use threadwise_limits::{Budget, Limit};
use threadwise_products::{Algebra, Pace, ProductId, SetId};
use threadwise_tables::{Entry, StepTables};

/// Why the analysis stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stop {
    Limit(Limit),
    Gap(Gap),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        Stop::Limit(limit)
    }
}

/// Threads that cannot be told apart; often just one.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) template: TemplateId,
    pub(crate) threads: Range<usize>,
}

/// Where the threads of a set of local states go: shared states, each with local states.
type Moves = Rc<[(u32, SetId)]>;

/// A step of one thread of a group, from one of its sets, to a shared state and a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) group: usize,
    pub(crate) from: SetId,
    pub(crate) store: u32,
    pub(crate) to: SetId,
}

pub(crate) struct Space<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) tables: StepTables<'a>,
    pub(crate) groups: Vec<Group>,
    pub(crate) algebra: Algebra,
    pub(crate) pace: Pace<'a>,
    moves: FxHashMap<(usize, u32, SetId), Moves>,
    /// By group and store the latest set whose moves were asked for: the next is often a little larger.
    latest: FxHashMap<(usize, u32), SetId>,
    /// By node of a product's tree, the first group below it, and store. Groups with the same bag may
    /// move differently, so a node alone does not tell.
    closures: FxHashMap<(ProductId, usize, u32), ProductId>,
    exits: FxHashMap<(ProductId, usize, u32), Rc<[Move]>>,
}

impl<'a> Space<'a> {
    /// The copies of these templates are taken together, all other threads alone.
    pub(crate) fn new(instance: &'a Instance, symmetric: &[TemplateId], budget: &'a Budget) -> Space<'a> {
        let mut groups: Vec<Group> = Vec::new();
        for index in 0..instance.program.templates.len() {
            let template = TemplateId(index as u32);
            let copies = instance.copies_of(template);
            if symmetric.contains(&template) && !copies.is_empty() {
                groups.push(Group { template, threads: copies });
            } else {
                groups.extend(copies.map(|thread| Group { template, threads: thread..thread + 1 }));
            }
        }
        let sizes = groups.iter().map(|group| group.threads.len() as u32).collect();
        Space {
            instance,
            tables: StepTables::new(instance),
            groups,
            algebra: Algebra::new(sizes),
            pace: Pace::new(budget),
            moves: FxHashMap::default(),
            latest: FxHashMap::default(),
            closures: FxHashMap::default(),
            exits: FxHashMap::default(),
        }
    }

    /// What a thread of the group can do.
    pub(crate) fn entry(&mut self, group: usize, store: u32, local: u32) -> Result<Entry, Stop> {
        let entry = self.tables.entry(self.groups[group].threads.start, store, local);
        match self.tables.gap {
            Some(gap) => Err(Stop::Gap(gap)),
            None => Ok(entry),
        }
    }

    /// What a thread of the group shows to the patterns of properties.
    pub(crate) fn shown(&mut self, group: usize, store: u32, local: u32) -> Result<&Observations, Stop> {
        let shown = self.entry(group, store, local)?.shown;
        Ok(shown.map_or(Observations::none(), |number| self.tables.observations(number)))
    }

    /// The steps of a thread of the group: shared and local states.
    pub(crate) fn successors(&mut self, group: usize, store: u32, local: u32) -> Result<Vec<(u32, u32)>, Stop> {
        let entry = self.entry(group, store, local)?;
        Ok(self.tables.successors(entry).map(|index| self.tables.successor(index)).collect())
    }

    /// Where a thread of the group can go from a set of local states.
    fn moves(&mut self, group: usize, store: u32, set: SetId) -> Result<Moves, Stop> {
        if let Some(known) = self.moves.get(&(group, store, set)) {
            return Ok(known.clone());
        }
        self.pace.step()?;
        forget_if_large(&mut self.moves);
        let before = self.latest.get(&(group, store)).copied();
        let usable = |before: &SetId| {
            self.algebra.sets.is_subset(*before, set) && self.moves.contains_key(&(group, store, *before))
        };
        let before = before.filter(usable).unwrap_or(SetId::EMPTY);
        let mut targets: Vec<(u32, u32)> = Vec::new();
        let new = self.algebra.sets.difference(set, before);
        for local in self.algebra.sets.elements(new) {
            targets.extend(self.successors(group, store, local)?);
        }
        targets.sort_unstable();
        let known = self.moves.get(&(group, store, before)).filter(|_| !before.is_empty()).cloned();
        let mut moves: Vec<(u32, SetId)> = known.map_or(Vec::new(), |moves| moves.to_vec());
        for same_store in targets.chunk_by(|a, b| a.0 == b.0) {
            let set = self.algebra.sets.of(same_store.iter().map(|target| target.1));
            match moves.iter_mut().find(|entry| entry.0 == same_store[0].0) {
                Some(entry) => entry.1 = self.algebra.sets.union(entry.1, set),
                None => moves.push((same_store[0].0, set)),
            }
        }
        moves.sort_unstable();
        let moves: Moves = moves.into();
        self.moves.insert((group, store, set), moves.clone());
        self.latest.insert((group, store), set);
        Ok(moves)
    }

    /// The product with all that single threads can reach without changing the store.
    pub(crate) fn closure(&mut self, product: ProductId, store: u32) -> Result<ProductId, Stop> {
        self.closure_below(product, 0, self.groups.len(), store)
    }

    fn closure_below(&mut self, node: ProductId, first: usize, width: usize, store: u32) -> Result<ProductId, Stop> {
        if width == 0 {
            return Ok(node);
        }
        if let Some(&known) = self.closures.get(&(node, first, store)) {
            return Ok(known);
        }
        forget_if_large(&mut self.closures);
        let closed = match self.algebra.halves(node) {
            Ok((left, right)) => {
                let half = width / 2;
                let left = self.closure_below(left, first, half, store)?;
                let right = self.closure_below(right, first + half, width - half, store)?;
                self.algebra.fork(left, right)
            }
            Err(bag) => {
                let mut entries = self.algebra.sets_in(bag).to_vec();
                for entry in &mut entries {
                    for &(to_store, to) in self.moves(first, store, entry.0)?.iter() {
                        if to_store == store {
                            entry.0 = self.algebra.sets.union(entry.0, to);
                        }
                    }
                }
                let bag = self.algebra.bag_of(entries);
                self.algebra.leaf(bag)
            }
        };
        self.closures.insert((node, first, store), closed);
        Ok(closed)
    }

    /// The steps that change the store.
    pub(crate) fn exits(&mut self, product: ProductId, store: u32) -> Result<Rc<[Move]>, Stop> {
        self.exits_below(product, 0, self.groups.len(), store)
    }

    fn exits_below(&mut self, node: ProductId, first: usize, width: usize, store: u32) -> Result<Rc<[Move]>, Stop> {
        if width == 0 {
            return Ok(Rc::new([]));
        }
        if let Some(known) = self.exits.get(&(node, first, store)) {
            return Ok(known.clone());
        }
        forget_if_large(&mut self.exits);
        let exits: Rc<[Move]> = match self.algebra.halves(node) {
            Ok((left, right)) => {
                let half = width / 2;
                let left = self.exits_below(left, first, half, store)?;
                let right = self.exits_below(right, first + half, width - half, store)?;
                match (&*left, &*right) {
                    ([], _) => right,
                    (_, []) => left,
                    (left, right) => [left, right].concat().into(),
                }
            }
            Err(bag) => self.moves_in(first, bag, store)?.into_iter().filter(|step| step.store != store).collect(),
        };
        self.exits.insert((node, first, store), exits.clone());
        Ok(exits)
    }

    /// The steps that stay at the store and lead out of the product.
    pub(crate) fn inner_steps(&mut self, product: ProductId, store: u32) -> Result<Vec<Move>, Stop> {
        let mut steps = Vec::new();
        self.inner_steps_below(product, 0, self.groups.len(), store, &mut steps)?;
        Ok(steps)
    }

    fn inner_steps_below(
        &mut self,
        node: ProductId,
        first: usize,
        width: usize,
        store: u32,
        steps: &mut Vec<Move>,
    ) -> Result<(), Stop> {
        if width == 0 || self.closure_below(node, first, width, store)? == node {
            return Ok(());
        }
        match self.algebra.halves(node) {
            Ok((left, right)) => {
                let half = width / 2;
                self.inner_steps_below(left, first, half, store, steps)?;
                self.inner_steps_below(right, first + half, width - half, store, steps)
            }
            Err(bag) => {
                let moves = self.moves_in(first, bag, store)?.into_iter();
                let sets = &self.algebra.sets;
                steps.extend(moves.filter(|step| step.store == store && !sets.is_subset(step.to, step.from)));
                Ok(())
            }
        }
    }

    fn moves_in(&mut self, group: usize, bag: threadwise_products::BagId, store: u32) -> Result<Vec<Move>, Stop> {
        let mut found = Vec::new();
        for (from, _) in self.algebra.sets_in(bag).to_vec() {
            let moves = self.moves(group, store, from)?;
            found.extend(moves.iter().map(|&(store, to)| Move { group, from, store, to }));
        }
        Ok(found)
    }

    /// The local states of a set from which a step leads to a store and into a set.
    pub(crate) fn before(
        &mut self,
        group: usize,
        (store, set): (u32, SetId),
        (to_store, to): (u32, SetId),
    ) -> Result<SetId, Stop> {
        let leads = self.moves(group, store, set)?.iter().any(|&(s, t)| s == to_store && self.algebra.sets.meet(t, to));
        if !leads {
            return Ok(SetId::EMPTY);
        }
        let mut found = Vec::new();
        for local in self.algebra.sets.elements(set) {
            let steps = self.successors(group, store, local)?;
            if steps.iter().any(|&(s, l)| s == to_store && self.algebra.sets.contains(to, l)) {
                found.push(local);
            }
        }
        Ok(self.algebra.sets.of(found))
    }

    /// A thread's local state with this number.
    pub(crate) fn local(&self, thread: usize, local: u32) -> &[i64] {
        self.tables.locals[self.instance.threads[thread].template.index()].get(local)
    }

    /// The initial products, by store, or an error in the initial values.
    pub(crate) fn initial(&mut self) -> Result<Result<Vec<(u32, ProductId)>, InitialError>, Stop> {
        let stores = self.instance.initial_stores();
        if let Some(&(fault, span)) = stores.faults.first() {
            return Ok(Err(InitialError::Store(fault, span)));
        }
        if let Some(gap) = stores.gap {
            return Err(Stop::Gap(gap));
        }
        let mut initial = Vec::new();
        for store in &stores.stores {
            let number = self.tables.shared.intern(store);
            let mut sets = Vec::new();
            for group in 0..self.groups.len() {
                let thread = ThreadId(self.groups[group].threads.start as u32);
                let starts = self.instance.starts(thread, store);
                if let Some(failure) = starts.failures.first() {
                    return Ok(Err(InitialError::Thread(thread, failure.error, failure.span)));
                }
                if let Some(gap) = starts.gap {
                    return Err(Stop::Gap(gap));
                }
                self.tables.taken.note(&starts);
                let table = &mut self.tables.locals[self.groups[group].template.index()];
                let locals: Vec<u32> = starts.successors.iter().map(|s| table.intern(&s.local)).collect();
                sets.push(self.algebra.sets.of(locals));
            }
            initial.extend(self.algebra.uniform(&sets).map(|product| (number, product)));
        }
        Ok(Ok(initial))
    }
}

/// What is remembered to save time need not be remembered for ever.
pub(crate) fn forget_if_large<K, V>(memory: &mut FxHashMap<K, V>) {
    const MOST: usize = 1 << 19;
    if memory.len() > MOST {
        memory.clear();
    }
}

/// What can be wrong before the first step.
pub(crate) enum InitialError {
    Store(threadwise_ir::Fault, threadwise_source::Span),
    Thread(ThreadId, threadwise_ir::StepError, threadwise_source::Span),
}
