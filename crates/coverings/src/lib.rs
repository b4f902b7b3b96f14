//! Which products of a proof have the initial states, and which those that steps lead to.
//!
//! The judge of proofs by unions of products does not search: the proof says where everything is to be found. Here it is
//! found, for a proof that has its unions. Nobody has to trust this: what is said wrongly is refused, and what is not
//! found is left out, which is refused too.

mod block;
mod cover;
mod order;
mod sets;
mod transport;

use block::{Block, Overhang, Roster};
use cover::Union;
use order::order;
use rustc_hash::FxHashMap;
use sets::Sets;
use std::rc::Rc;
use threadwise_evidence::{CartesianProof, Containment, Coverings, Lemma, StepCovering};
use threadwise_ir::{Instance, Store, ThreadId};
use threadwise_limits::{Budget, Limit};

/// The proof with what the judge has to be told. It must fit the instance.
pub fn covered(instance: &Instance, proof: CartesianProof, budget: &Budget) -> Result<CartesianProof, Limit> {
    let mut finder = Finder::new(instance, &proof, budget);
    let initial = finder.initial()?;
    let mut steps = Vec::new();
    for store in 0..proof.unions.len() {
        for product in 0..proof.unions[store].1.len() {
            finder.steps_from(store, product, &mut steps)?;
        }
    }
    let mut proof = proof;
    let lemmas = finder.lemmas(&mut proof);
    proof.coverings = Coverings { initial, lemmas, steps: in_runs(steps) };
    Ok(proof)
}

/// Asks the budget now and then.
struct Pace<'a> {
    budget: &'a Budget,
    steps: u32,
}

impl<'a> Pace<'a> {
    fn new(budget: &'a Budget) -> Pace<'a> {
        Pace { budget, steps: 0 }
    }

    fn step(&mut self) -> Result<(), Limit> {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(4096) { self.budget.check() } else { Ok(()) }
    }
}

/// Where a thread's steps lead: the shared store, and the local states there.
type Leads = Rc<[(u32, u32)]>;

/// Where a thread's steps lead from a local state: the shared store, and the local state if the proof has it.
type Moves = Rc<[(u32, Option<u32>)]>;

/// The products of a union that a product sticks out of in at most one group.
#[derive(Default)]
struct Near {
    within: Vec<u32>,
    by_group: FxHashMap<usize, Vec<u32>>,
}

struct Finder<'a> {
    instance: &'a Instance,
    pace: Pace<'a>,
    roster: Roster,
    sets: Sets,
    /// For each template the numbers of its local states; of equal ones the first.
    locals: Vec<FxHashMap<Store, u32>>,
    words: Vec<Vec<Store>>,
    stores: FxHashMap<Store, u32>,
    shared: Vec<Store>,
    unions: Vec<Union>,
    /// How many products a union has of its own.
    own: Vec<usize>,
    /// The order in which lemmas came up, by store.
    order: Vec<u32>,
    /// By shared store, thread and set.
    leads: FxHashMap<(usize, usize, u32), Leads>,
    /// By shared store, thread and local state.
    moves: FxHashMap<(usize, usize, u32), Moves>,
}

impl<'a> Finder<'a> {
    fn new(instance: &'a Instance, proof: &CartesianProof, budget: &'a Budget) -> Finder<'a> {
        let mut finder = Finder {
            instance,
            pace: Pace::new(budget),
            roster: Roster::new(instance, &proof.symmetric),
            sets: Sets::default(),
            locals: Vec::new(),
            words: proof.locals.clone(),
            stores: proof.unions.iter().zip(0..).map(|((store, _), index)| (store.clone(), index)).collect(),
            shared: proof.unions.iter().map(|(store, _)| store.clone()).collect(),
            unions: Vec::new(),
            own: proof.unions.iter().map(|(_, products)| products.len()).collect(),
            order: Vec::new(),
            leads: FxHashMap::default(),
            moves: FxHashMap::default(),
        };
        for states in &proof.locals {
            let mut numbers = FxHashMap::default();
            states.iter().zip(0..).for_each(|(state, index)| _ = numbers.entry(state.clone()).or_insert(index));
            finder.locals.push(numbers);
        }
        for (_, products) in &proof.unions {
            let mut union = Union::default();
            for product in products {
                let runs = finder.runs(proof, &product.components);
                union.push(&finder.roster, runs);
            }
            finder.unions.push(union);
        }
        finder
    }

    /// The components with numbers of sets as they are compared here.
    fn runs(&mut self, proof: &CartesianProof, components: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let mut first = 0;
        let mut runs = Vec::new();
        for &(count, set) in components {
            let template = self.instance.threads[first].template.index();
            let elements = proof.sets[set as usize].iter();
            let number = |&element: &u32| self.locals[template][&proof.locals[template][element as usize]];
            runs.push((count, self.sets.number(elements.map(number).collect())));
            first += count as usize;
        }
        runs
    }

    /// What has the initial states.
    fn initial(&mut self) -> Result<Vec<(u32, Containment)>, Limit> {
        let mut initial = Vec::new();
        for shared in &self.instance.initial_stores().stores {
            let Some(&store) = self.stores.get(shared) else { continue };
            let Some(runs) = self.starts(shared) else { continue };
            let part = Block::of(&self.roster, &runs);
            if let Some(product) = self.cover(store as usize, &part)? {
                initial.extend(self.containment(store as usize, &runs, product).map(|within| (store, within)));
            }
        }
        Ok(initial)
    }

    /// The product of the threads' starts, if all of them are local states of the proof.
    fn starts(&mut self, shared: &[i64]) -> Option<Vec<(u32, u32)>> {
        let mut components: Vec<u32> = Vec::new();
        for (thread, at) in self.instance.threads.iter().zip(0..) {
            if self.roster.like(at) < at {
                components.push(components[at - 1]);
                continue;
            }
            let starts = self.instance.starts(ThreadId(at as u32), shared).successors;
            let numbers = &self.locals[thread.template.index()];
            let locals: Option<Vec<u32>> = starts.iter().map(|start| numbers.get(&start.local).copied()).collect();
            components.push(self.sets.number(locals?));
        }
        Some(order::runs_of(&self.roster, &components))
    }

    /// Adds what has the states to which steps lead from a product.
    fn steps_from(&mut self, store: usize, product: usize, steps: &mut Vec<StepCovering>) -> Result<(), Limit> {
        let (block, runs) = (self.unions[store].blocks[product].clone(), self.unions[store].runs[product].clone());
        if runs.iter().any(|&(_, set)| self.sets.elements(set).is_empty()) {
            return Ok(());
        }
        let mut near: FxHashMap<u32, Near> = FxHashMap::default();
        let mut first = 0;
        for &(count, set) in &runs {
            let is_crowd = self.roster.crowd_of(first).is_some();
            let last = if is_crowd { first + 1 } else { first + count as usize };
            for thread in first..last {
                for &(to, after) in self.leads(store, thread, set)?.iter() {
                    let near = match near.entry(to) {
                        std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                        std::collections::hash_map::Entry::Vacant(new) => new.insert(self.near(&block, to as usize)?),
                    };
                    let found = self.product_with(near, &block, thread, (set, after), to as usize)?;
                    let after = replaced(&runs, thread, after);
                    let within = found.and_then(|found| self.containment(to as usize, &after, found));
                    let from = (store as u32, product as u32);
                    steps.extend(within.map(|within| StepCovering { from, to, threads: (thread as u32, 1), within }));
                }
            }
            first += count as usize;
        }
        Ok(())
    }

    /// A product that has what comes of the block when a thread's set is replaced.
    fn product_with(
        &mut self,
        near: &Near,
        block: &Block,
        thread: usize,
        (before, after): (u32, u32),
        to: usize,
    ) -> Result<Option<u32>, Limit> {
        let group = self.roster.group_of[thread] as usize;
        let blocks = &self.unions[to].blocks;
        let admits = |other: &&u32| blocks[**other as usize].admits(block, group, before, after, &self.sets);
        let mut candidates = near.within.iter().chain(near.by_group.get(&group).into_iter().flatten());
        match candidates.find(admits) {
            Some(&found) => Ok(Some(found)),
            None => self.cover(to, &block.with(group, before, after)),
        }
    }

    fn near(&mut self, block: &Block, to: usize) -> Result<Near, Limit> {
        let mut near = Near::default();
        for (other, number) in self.unions[to].blocks.iter().zip(0..) {
            self.pace.step()?;
            match block.overhang(other, &self.sets) {
                Overhang::Nowhere => near.within.push(number),
                Overhang::In(group) => near.by_group.entry(group).or_default().push(number),
                Overhang::InSeveral => {}
            }
        }
        Ok(near)
    }

    fn cover(&mut self, store: usize, part: &Block) -> Result<Option<u32>, Limit> {
        let before = self.unions[store].splits.len();
        let found = self.unions[store].cover(&self.roster, &mut self.sets, part, &mut self.pace)?;
        let new = self.unions[store].splits.len() - before;
        self.order.extend(std::iter::repeat_n(store as u32, new));
        Ok(found)
    }

    fn containment(&self, store: usize, part: &[(u32, u32)], product: u32) -> Option<Containment> {
        let order = order(&self.roster, &self.sets, part, &self.unions[store].runs[product as usize])?;
        Some(Containment { product, order })
    }

    /// Where steps of a thread with some set lead, but for those that change nothing. Where they lead to states that the
    /// proof does not have there is nothing to be found.
    fn leads(&mut self, store: usize, thread: usize, set: u32) -> Result<Leads, Limit> {
        let key = (store, self.roster.like(thread), set);
        if let Some(known) = self.leads.get(&key) {
            return Ok(known.clone());
        }
        let mut after: Vec<(u32, Option<u32>)> = Vec::new();
        for &local in self.sets.elements(set).clone().iter() {
            self.pace.step()?;
            after.extend(self.moves(store, key.1, local).iter());
        }
        after.sort_unstable();
        let mut leads = Vec::new();
        for steps in after.chunk_by(|a, b| a.0 == b.0) {
            let Some(landed) = steps.iter().map(|step| step.1).collect::<Option<Vec<u32>>>() else { continue };
            let landed = self.sets.number(landed);
            if steps[0].0 != store as u32 || !self.sets.is_subset(landed, set) {
                leads.push((steps[0].0, landed));
            }
        }
        let leads: Leads = leads.into();
        self.leads.insert(key, leads.clone());
        Ok(leads)
    }

    fn moves(&mut self, store: usize, thread: usize, local: u32) -> Moves {
        let key = (store, thread, local);
        if let Some(known) = self.moves.get(&key) {
            return known.clone();
        }
        let template = self.instance.threads[thread].template.index();
        let words = &self.words[template][local as usize];
        let steps = self.instance.steps(ThreadId(thread as u32), &self.shared[store], words);
        let moves = steps.successors.iter().filter_map(|step| {
            let store = self.stores.get(&step.shared)?;
            Some((*store, self.locals[template].get(&step.local).copied()))
        });
        let moves: Moves = moves.collect();
        self.moves.insert(key, moves.clone());
        moves
    }

    /// What was found to be within the unions on the way.
    fn lemmas(&mut self, proof: &mut CartesianProof) -> Vec<Lemma> {
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        proof.sets.iter().zip(0..).for_each(|(set, index)| _ = known.entry(set.clone()).or_insert(index));
        let mut number = |set: &[u32]| {
            *known.entry(set.to_vec()).or_insert_with(|| {
                proof.sets.push(set.to_vec());
                proof.sets.len() as u32 - 1
            })
        };
        let mut next = vec![0; self.unions.len()];
        let mut lemmas = Vec::new();
        for &store in &self.order {
            let (union, at) = (&self.unions[store as usize], next[store as usize]);
            next[store as usize] += 1;
            let runs = &union.runs[self.own[store as usize] + at];
            let split = &union.splits[at];
            lemmas.push(Lemma {
                store,
                components: runs.iter().map(|&(count, set)| (count, number(self.sets.elements(set)))).collect(),
                thread: split.thread as u32,
                set: number(self.sets.elements(split.set)),
                inside: split.inside.clone(),
                outside: split.outside.clone(),
            });
        }
        lemmas
    }
}

/// The runs with another set for one thread.
fn replaced(runs: &[(u32, u32)], thread: usize, set: u32) -> Vec<(u32, u32)> {
    let mut left = thread as u32;
    let mut replaced = Vec::new();
    let mut is_done = false;
    for &(count, other) in runs {
        if is_done || left >= count {
            replaced.push((count, other));
            left -= if is_done { 0 } else { count };
            continue;
        }
        is_done = true;
        let parts = [(left, other), (1, set), (count - left - 1, other)];
        replaced.extend(parts.into_iter().filter(|part| part.0 > 0));
    }
    replaced
}

/// In order, and those of threads beside each other that say the same as one.
fn in_runs(mut steps: Vec<StepCovering>) -> Vec<StepCovering> {
    steps.sort_by_key(|step| (step.from, step.to, step.threads.0));
    let mut runs: Vec<StepCovering> = Vec::new();
    for step in steps {
        match runs.last_mut() {
            Some(last)
                if (last.from, last.to, &last.within) == (step.from, step.to, &step.within)
                    && last.threads.0 + last.threads.1 == step.threads.0 =>
            {
                last.threads.1 += 1;
            }
            _ => runs.push(step),
        }
    }
    runs
}
