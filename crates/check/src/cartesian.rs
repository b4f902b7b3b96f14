//! Proofs by unions of products (CART, section 2.2).
//!
//! # The idea
//!
//! For each shared store the proof has products of sets of local states, one set for each thread. It
//! stands for the program states whose shared store has a product with each thread's local state in
//! the thread's set. Suppose that
//!
//! 1. *initially*: every initial state is among them,
//! 2. *steps*: every step from one of them leads to one of them,
//! 3. *properties*: no step from one of them goes wrong, and none of them violates a property.
//!
//! Then all reachable states are among them, and none is an error. Whether a product was an exception
//! from the abstraction, or what came of the abstraction, is beside the point.
//!
//! The states are never listed. What a thread can do depends on the shared store and its own local
//! state only. So from a product, a thread's steps that lead to the same shared store lead to the
//! states of another product: the same with that thread's set replaced by the local states after the
//! steps. For point 2 that product must be within the union of the products at the new store. Mostly it
//! is within one of them; [`crate::cover`] decides the other cases. The initial states with the same
//! shared store are a product, too. For point 3 see [`crate::roles`], and [`crate::properties`] where
//! that does not do. A product with an empty set has no states, and nothing is asked of it.
//!
//! Where the semantics leaves a *gap*, the points cannot be checked and the proof is refused.
//!
//! # Copies
//!
//! A proof may name threads whose copies are interchangeable. It then means, with each product, also
//! those that differ from it by a permutation of these copies. `ir` is asked whether the program tells
//! the copies apart, not the proof. A permutation also permutes thread identities in the shared store,
//! so there must be none. Then it maps steps to steps at the same shared stores, and errors to errors,
//! and it is enough to look at one copy for each set that copies have, and at one order of the
//! components. A product is within another if its copies' sets can be assigned to the other one's, each
//! to one that it is a subset of: a transport problem ([`crate::transport`]).
//!
//! One thing is looked at here although `ir` does not: evaluating a quantifier over threads stops
//! early, so that whether it *goes wrong* may depend on the order of the copies ([`crate::order`]).
//! Programs for which that could be so have no interchangeable copies here.
//!
//! # What it does not cover
//!
//! The products have components for a fixed number of threads. They prove nothing about `thread W[*]`.

use crate::block::{Block, Overhang, Reader, Roster};
use crate::cover::outside;
use crate::desk::{Callers, Desk, Spot};
use crate::order::depends_on_order;
use crate::properties::{Candidates, Properties};
use crate::reachable::symmetry_is_admitted;
use crate::roles::{Casting, Finding, Stage};
use crate::sets::Sets;
use crate::{CheckError, refuted};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use threadwise_evidence::{CartesianProof, show_state};
use threadwise_ir::{Access, Instance, Program, State};
use threadwise_limits::Budget;

/// With more threads than this, messages show only the one that moves.
const MAX_SHOWN: usize = 8;

/// Checks the three points; gives the number of products in the proof.
pub(crate) fn check(program: &Arc<Program>, proof: &CartesianProof, budget: &Budget) -> Result<u64, CheckError> {
    if program.has_any_copies() {
        return Err(refuted("a union of products covers only a fixed number of copies, not `[*]`"));
    }
    copies_are_interchangeable(program, proof)?;
    let instance = Instance::new(program.clone(), 0);
    proof.validate(&instance).map_err(|e| refuted(format!("the proof does not fit the program: {e}")))?;
    let properties = Properties::new(program);
    Judge::new(&instance, proof, &properties, budget)?.judge()?;
    Ok(proof.products())
}

fn copies_are_interchangeable(program: &Program, proof: &CartesianProof) -> Result<(), CheckError> {
    if proof.symmetric.is_empty() {
        return Ok(());
    }
    symmetry_is_admitted(program, &proof.symmetric)?;
    if let Some(var) = program.shared.iter().find(|var| var.sort.mentions_tid()) {
        let name = &var.name;
        return Err(refuted(format!("the proof permutes copies of threads, but `{name}` holds thread identities")));
    }
    match depends_on_order(program) {
        true => Err(refuted("the proof permutes copies of threads, but a quantifier may go wrong in one order only")),
        false => Ok(()),
    }
}

/// What a group's threads with some set can do at a shared store.
struct Reach {
    /// Where steps lead, but for those that stay at the store and within the set: the shared store, and
    /// the local states after them.
    leads: Vec<(u32, u32)>,
    /// What the steps access.
    access: Access,
}

struct Judge<'a> {
    desk: Desk<'a>,
    roster: Roster,
    sets: Sets,
    /// The shared stores, each with its products, without empty ones.
    unions: Vec<(u32, Vec<Block>)>,
    by_store: FxHashMap<u32, usize>,
    /// By shared store, group and set.
    reaches: FxHashMap<(u32, u32, u32), Rc<Reach>>,
    properties: &'a Properties<'a>,
    /// For each formula among the properties.
    castings: Vec<Option<Casting<'a>>>,
}

/// The products of a union that a product sticks out of in at most one group.
#[derive(Default)]
struct Near {
    within: Vec<u32>,
    by_group: FxHashMap<usize, Vec<u32>>,
}

impl<'a> Judge<'a> {
    fn new(
        instance: &'a Instance,
        proof: &CartesianProof,
        properties: &'a Properties<'a>,
        budget: &'a Budget,
    ) -> Result<Judge<'a>, CheckError> {
        let mut desk = Desk::new(instance, false, budget);
        let roster = Roster::new(instance, &proof.symmetric);
        let (mut sets, mut reader) = (Sets::default(), Reader::new(proof));
        let mut unions = Vec::new();
        for (shared, products) in &proof.unions {
            let mut blocks = Vec::new();
            for product in products {
                desk.ask_budget()?;
                let block = reader.block(&mut desk, &roster, &mut sets, product);
                if block.sets().all(|set| !sets.elements(set).is_empty()) {
                    blocks.push(block);
                }
            }
            unions.push((desk.stores.number(shared), blocks));
        }
        let by_store = unions.iter().enumerate().map(|(index, (shared, _))| (*shared, index)).collect();
        let castings = properties.formulas().map(|(formula, must_be)| Casting::new(instance, formula, must_be));
        let castings = castings.collect();
        Ok(Judge { desk, roster, sets, unions, by_store, reaches: FxHashMap::default(), properties, castings })
    }

    fn judge(mut self) -> Result<(), CheckError> {
        for shared in self.desk.initial_stores()? {
            self.holds_initially(shared)?;
        }
        let unions = std::mem::take(&mut self.unions);
        for (shared, blocks) in &unions {
            for block in blocks {
                self.admits_steps(&unions, *shared, block)?;
                self.properties_hold(*shared, block)?;
            }
        }
        Ok(())
    }

    /// Point 1.
    fn holds_initially(&mut self, shared: u32) -> Result<(), CheckError> {
        let mut starts = Vec::new();
        for group in 0..self.roster.len() {
            let locals = self.desk.starts(self.roster.representative(group), shared)?;
            if locals.is_empty() {
                return Ok(());
            }
            starts.push(self.sets.number(locals));
        }
        let product = Block::uniform(&self.roster, &starts);
        let union = self.by_store.get(&shared).map_or(&[][..], |&at| &self.unions[at].1);
        match outside(&mut self.desk, &mut self.sets, product, union)? {
            None => Ok(()),
            Some(missing) => {
                let state = self.shown(shared, &missing, None);
                Err(refuted(format!("the union lacks the initial state\n  {state}")))
            }
        }
    }

    /// Point 2, and that no step goes wrong.
    fn admits_steps(&mut self, unions: &[(u32, Vec<Block>)], shared: u32, block: &Block) -> Result<(), CheckError> {
        let mut near: FxHashMap<u32, Near> = FxHashMap::default();
        for group in 0..self.roster.len() {
            for (set, _) in block.group(group) {
                self.desk.ask_budget()?;
                for &(to, after) in &self.reach(shared, group, set)?.leads {
                    let union = self.by_store.get(&to).map_or(&[][..], |&at| &unions[at].1);
                    let near = match near.entry(to) {
                        std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                        std::collections::hash_map::Entry::Vacant(new) => new.insert(self.near(block, union)?),
                    };
                    let candidates = near.within.iter().chain(near.by_group.get(&group).into_iter().flatten());
                    let admits = |other: &u32| union[*other as usize].admits(block, group, set, after, &self.sets);
                    if candidates.into_iter().any(admits) {
                        continue;
                    }
                    let product = block.with(group, set, after);
                    if let Some(missing) = outside(&mut self.desk, &mut self.sets, product, union)? {
                        return Err(self.not_closed(shared, group, set, to, &missing));
                    }
                }
            }
        }
        Ok(())
    }

    fn near(&mut self, block: &Block, union: &[Block]) -> Result<Near, CheckError> {
        let mut near = Near::default();
        for (index, other) in union.iter().enumerate() {
            self.desk.ask_budget()?;
            match block.overhang(other, &self.sets) {
                Overhang::Nowhere => near.within.push(index as u32),
                Overhang::In(group) => near.by_group.entry(group).or_default().push(index as u32),
                Overhang::InSeveral => {}
            }
        }
        Ok(near)
    }

    /// What threads of the group that have the set can do.
    fn reach(&mut self, shared: u32, group: usize, set: u32) -> Result<Rc<Reach>, CheckError> {
        let key = (shared, group as u32, set);
        if let Some(known) = self.reaches.get(&key) {
            return Ok(known.clone());
        }
        let thread = self.roster.representative(group);
        let mut access = Access::default();
        let mut after: Vec<(u32, u32)> = Vec::new();
        let mut moves = Vec::new();
        for &local in self.sets.elements(set).clone().iter() {
            moves.clear();
            let spot = Spot { context: 0, local };
            access = access.union(self.desk.moves(thread, shared, spot, &Callers::default(), &mut moves)?);
            after.extend(moves.iter().map(|step| (step.shared, step.landing.running())));
        }
        after.sort_unstable();
        let mut leads = Vec::new();
        for steps in after.chunk_by(|a, b| a.0 == b.0) {
            let landed = self.sets.number(steps.iter().map(|&(_, local)| local).collect());
            if steps[0].0 != shared || !self.sets.is_subset(landed, set) {
                leads.push((steps[0].0, landed));
            }
        }
        let reach = Rc::new(Reach { leads, access });
        self.reaches.insert(key, reach.clone());
        Ok(reach)
    }

    /// Point 3, but for steps.
    fn properties_hold(&mut self, shared: u32, block: &Block) -> Result<(), CheckError> {
        if self.properties.forbid_races() {
            self.has_no_races(shared, block)?;
        }
        for index in 0..self.castings.len() {
            let stage = Stage { roster: &self.roster, sets: &self.sets, shared, block };
            let finding = match &mut self.castings[index] {
                Some(casting) => casting.violation(&mut self.desk, &stage)?,
                None => Finding::CannotTell,
            };
            match finding {
                Finding::Holds => {}
                Finding::Violated(state) => return Err(self.properties.violated(index, &state)),
                Finding::CannotTell => {
                    let candidates = self.candidates(shared, block);
                    self.properties.formula_holds(&mut self.desk, index, &candidates)?;
                }
            }
        }
        Ok(())
    }

    /// The product thread by thread.
    fn candidates(&self, shared: u32, block: &Block) -> Candidates {
        let components = block.components(&self.roster);
        let like_before = (0..components.len()).map(|thread| self.roster.is_like_before(thread)).collect();
        let mut candidates = Candidates::new(shared, like_before);
        for &set in &components {
            candidates.add_thread(self.sets.elements(set).iter().copied(), Access::default());
        }
        candidates
    }

    /// A race is between two threads, whatever the others do.
    fn has_no_races(&mut self, shared: u32, block: &Block) -> Result<(), CheckError> {
        let mut earlier = Access::default();
        for group in 0..self.roster.len() {
            for (set, count) in block.group(group) {
                let access = self.reach(shared, group, set)?.access;
                for _ in 0..count.min(2) {
                    let races = earlier.conflicts(access);
                    if races != 0 {
                        let state =
                            threadwise_evidence::show_shared(self.desk.instance, self.desk.stores.words(shared));
                        return Err(self.properties.raced(races, &state));
                    }
                    earlier = earlier.union(access);
                }
            }
        }
        Ok(())
    }

    fn not_closed(&mut self, shared: u32, group: usize, set: u32, to: u32, missing: &Block) -> CheckError {
        let thread = self.roster.representative(group);
        let there: Vec<u32> =
            missing.group(group).flat_map(|(set, _)| self.sets.elements(set).iter().copied()).collect();
        let name = self.desk.name(thread);
        for &local in self.sets.elements(set).clone().iter() {
            let mut moves = Vec::new();
            let spot = Spot { context: 0, local };
            if self.desk.moves(thread, shared, spot, &Callers::default(), &mut moves).is_err() {
                continue;
            }
            let leads = |step: &&crate::desk::Move| step.shared == to && there.contains(&step.landing.running());
            if let Some(step) = moves.iter().find(leads) {
                let (from, what) = (self.desk.shown(thread, shared, local), self.desk.shown_move(step));
                let after = self.shown(to, missing, Some((thread, step.landing.running())));
                return refuted(format!(
                    "the union is not closed: from\n  {from}\n{name}{what} leads to\n  {after}\nwhich is not in it"
                ));
            }
        }
        refuted(format!("the union is not closed: a step of {name} leads out of it"))
    }

    /// A state of the product; of many threads only the one that moved.
    fn shown(&self, shared: u32, block: &Block, moved: Option<(usize, u32)>) -> String {
        let components = block.components(&self.roster);
        match moved {
            Some((thread, local)) if components.len() > MAX_SHOWN => self.desk.shown(thread, shared, local),
            _ => {
                let first = |&set: &u32| self.desk.locals.words(self.sets.elements(set)[0]).into();
                let locals = components.iter().take(MAX_SHOWN).map(first).collect();
                show_state(self.desk.instance, &State { shared: self.desk.stores.words(shared).into(), locals })
            }
        }
    }
}
