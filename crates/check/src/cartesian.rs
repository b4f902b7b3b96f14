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
//! steps. For point 2 that product must be within the union of the products at the new store, and the proof says
//! which of them it is within. The initial states with the same shared store are a product, too. For point 3 see [`crate::roles`], and [`crate::properties`] where
//! that does not do. A product with an empty set has no states, and nothing is asked of it.
//!
//! Where it takes several products to contain one, the proof has *lemmas*: products whose states with a certain thread
//! inside a certain set are within one product before it, and the others within another. By induction all of them are
//! within the union, so they will do where one of its products would. Nothing is searched for here: what the proof does
//! not say is not so.
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
//! components. A product is within another if it is so with its copies in some order, and the proof says in which.
//!
//! One thing is looked at here although `ir` does not: evaluating a quantifier over threads stops
//! early, so that whether it *goes wrong* may depend on the order of the copies ([`crate::order`]).
//! Programs for which that could be so have no interchangeable copies here.
//!
//! # What it does not cover
//!
//! The products have components for a fixed number of threads. They prove nothing about `thread W[*]`.

use crate::block::{Actor, Block, Reader, Roster};
use crate::desk::{Callers, Desk, Spot};
use crate::order::depends_on_order;
use crate::patterns::{meeting, most_signs};
use crate::properties::{Candidates, Properties};
use crate::reachable::symmetry_is_admitted;
use crate::roles::{Casting, Finding, Stage};
use crate::sets::Sets;
use crate::{CheckError, refuted};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use threadwise_evidence::{CartesianProof, Containment, StepCovering, show_shared, show_state};
use threadwise_ir::{Instance, Observations, Program, State};
use threadwise_limits::Budget;

/// Messages show no more threads than this.
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

/// What a thread with some set can do at a shared store.
struct Reach {
    /// Where steps lead, but for those that stay at the store and within the set: the shared store, and
    /// the local states after them.
    leads: Vec<(u32, u32)>,
    /// What the steps access.
    shown: Observations,
}

/// The products of a shared store.
struct Union {
    shared: u32,
    /// Those of the proof, and then its lemmas.
    blocks: Vec<Block>,
    /// How many are no lemmas.
    own: usize,
}

struct Judge<'a> {
    proof: &'a CartesianProof,
    reader: Reader<'a>,
    desk: Desk<'a>,
    roster: Roster,
    sets: Sets,
    unions: Vec<Union>,
    by_store: FxHashMap<u32, usize>,
    /// By shared store, thread and set.
    reaches: FxHashMap<(u32, usize, u32), Rc<Reach>>,
    properties: &'a Properties<'a>,
    /// For each formula among the properties.
    castings: Vec<Option<Casting<'a>>>,
}

impl<'a> Judge<'a> {
    fn new(
        instance: &'a Instance,
        proof: &'a CartesianProof,
        properties: &'a Properties<'a>,
        budget: &'a Budget,
    ) -> Result<Judge<'a>, CheckError> {
        let mut desk = Desk::new(instance, false, budget);
        let (mut sets, mut reader) = (Sets::default(), Reader::new(proof));
        let mut unions = Vec::new();
        for (shared, products) in &proof.unions {
            let mut blocks = Vec::new();
            for product in products {
                desk.ask_budget()?;
                blocks.push(reader.block(&mut desk, &mut sets, &product.components));
            }
            unions.push(Union { shared: desk.stores.number(shared), blocks, own: products.len() });
        }
        let by_store = unions.iter().enumerate().map(|(index, union)| (union.shared, index)).collect();
        let castings = properties.formulas().map(|(formula, must_be)| Casting::new(instance, formula, must_be));
        let (roster, castings) = (Roster::new(instance, &proof.symmetric), castings.collect());
        let reaches = FxHashMap::default();
        Ok(Judge { proof, reader, desk, roster, sets, unions, by_store, reaches, properties, castings })
    }

    fn judge(mut self) -> Result<(), CheckError> {
        self.lemmas_follow()?;
        for shared in self.desk.initial_stores()? {
            self.holds_initially(shared)?;
        }
        for store in 0..self.unions.len() {
            for product in 0..self.unions[store].own {
                let block = self.unions[store].blocks[product].clone();
                if !block.is_empty(&self.sets) {
                    self.admits_steps((store, product), &block)?;
                    self.properties_hold(self.unions[store].shared, &block)?;
                }
            }
        }
        Ok(())
    }

    /// Each because of products before it.
    fn lemmas_follow(&mut self) -> Result<(), CheckError> {
        for (number, lemma) in self.proof.coverings.lemmas.iter().enumerate() {
            self.desk.ask_budget()?;
            let (store, thread) = (lemma.store as usize, lemma.thread as usize);
            let block = self.reader.block(&mut self.desk, &mut self.sets, &lemma.components);
            let template = self.desk.instance.threads[thread].template;
            let along = self.reader.set(&mut self.desk, &mut self.sets, template, lemma.set);
            let (inside, outside) = self.sets.split(block.set_of(thread).expect("the proof is valid"), along);
            let follows = self.is_contained(&block.with(thread, inside), store, &lemma.inside)
                && self.is_contained(&block.with(thread, outside), store, &lemma.outside);
            if !follows {
                return Err(refuted(format!("`lemmas[{number}]` does not follow from the products before it")));
            }
            self.unions[store].blocks.push(block);
        }
        Ok(())
    }

    /// Whether a product is within the one that the proof names, in the order that it gives.
    fn is_contained(&self, part: &Block, store: usize, within: &Containment) -> bool {
        let union = self.unions.get(store);
        let Some(product) = union.and_then(|union| union.blocks.get(within.product as usize)) else { return false };
        match within.order.as_slice() {
            [] => part.is_within(product, &self.sets),
            order => self.roster.is_permutation(order) && part.ordered(order).is_within(product, &self.sets),
        }
    }

    /// Point 1.
    fn holds_initially(&mut self, shared: u32) -> Result<(), CheckError> {
        let mut starts: Vec<u32> = Vec::new();
        for thread in 0..self.desk.instance.threads.len() {
            if self.roster.is_like_before(thread) {
                starts.push(starts[thread - 1]);
                continue;
            }
            let locals = self.desk.starts(thread, shared)?;
            if locals.is_empty() {
                return Ok(());
            }
            starts.push(self.sets.number(locals));
        }
        let store = self.by_store.get(&shared).copied();
        let initial = self.proof.coverings.initial.iter();
        let mut named =
            initial.filter(|(at, _)| store == Some(*at as usize)).map(|(at, within)| (*at as usize, within));
        let product = Block::of(&starts);
        match named.any(|(store, within)| self.is_contained(&product, store, within)) {
            true => Ok(()),
            false => {
                let state = self.shown(shared, &starts);
                let what = "the union lacks the initial state";
                Err(refuted(format!("{what}\n  {state}\nor the proof does not say which product has it")))
            }
        }
    }

    /// Point 2, and that no step goes wrong.
    fn admits_steps(&mut self, from: (usize, usize), block: &Block) -> Result<(), CheckError> {
        let shared = self.unions[from.0].shared;
        let actors: Vec<Actor> = self.roster.actors(block).collect();
        for actor in actors {
            for &(to, after) in &self.reach(shared, actor.like, actor.set)?.leads {
                self.desk.ask_budget()?;
                let store = self.by_store.get(&to).copied();
                let named = store.and_then(|store| Some((store, self.covering(from, store, actor.thread)?)));
                let part = block.with(actor.thread, after);
                if !named.is_some_and(|(store, within)| self.is_contained(&part, store, within)) {
                    return Err(self.not_closed(shared, &actor, to, named.is_some()));
                }
            }
        }
        Ok(())
    }

    /// Where the proof says that steps of a thread lead.
    fn covering(&self, (store, product): (usize, usize), to: usize, thread: usize) -> Option<&'a Containment> {
        let (from, to, thread) = ((store as u32, product as u32), to as u32, thread as u32);
        let steps = &self.proof.coverings.steps;
        let is_before = |step: &StepCovering| (step.from, step.to, step.threads.0) <= (from, to, thread);
        let last = steps[..steps.partition_point(is_before)].last()?;
        let is_one = thread.checked_sub(last.threads.0).is_some_and(|ahead| ahead < last.threads.1);
        (last.from == from && last.to == to && is_one).then_some(&last.within)
    }

    /// What a thread that has the set can do.
    fn reach(&mut self, shared: u32, thread: usize, set: u32) -> Result<Rc<Reach>, CheckError> {
        let key = (shared, thread, set);
        if let Some(known) = self.reaches.get(&key) {
            return Ok(known.clone());
        }
        let mut shown = Observations::default();
        let mut after: Vec<(u32, u32)> = Vec::new();
        let mut moves = Vec::new();
        for &local in self.sets.elements(set).clone().iter() {
            moves.clear();
            let spot = Spot { context: 0, local };
            shown.add_all(&self.desk.moves(thread, shared, spot, &Callers::default(), &mut moves)?);
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
        let reach = Rc::new(Reach { leads, shown });
        self.reaches.insert(key, reach.clone());
        Ok(reach)
    }

    /// Point 3, but for steps.
    fn properties_hold(&mut self, shared: u32, block: &Block) -> Result<(), CheckError> {
        self.meets_no_pattern(shared, block)?;
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
        let components = block.components();
        let like_before = (0..components.len()).map(|thread| self.roster.is_like_before(thread)).collect();
        let mut candidates = Candidates::new(shared, like_before);
        for &set in &components {
            candidates.add_thread(self.sets.elements(set).iter().copied(), Observations::default());
        }
        candidates
    }

    /// Of threads that are alike no more matter than a pattern has signs. Where identities are in the shared store, no
    /// threads are alike, so that each is at its place.
    fn meets_no_pattern(&mut self, shared: u32, block: &Block) -> Result<(), CheckError> {
        let most = most_signs(&self.desk.instance.program);
        if most == 0 {
            return Ok(());
        }
        let mut shown = Vec::new();
        let actors: Vec<Actor> = self.roster.actors(block).collect();
        for actor in actors {
            let here = self.reach(shared, actor.like, actor.set)?.shown.clone();
            shown.extend(std::iter::repeat_n(here, (actor.count as usize).min(most)));
        }
        let Some((property, threads)) = meeting(&self.desk.instance.program, &shown) else { return Ok(()) };
        let state = show_shared(self.desk.instance, self.desk.stores.words(shared));
        let who = if threads.len() == 2 { "two threads".to_string() } else { format!("{} threads", threads.len()) };
        Err(self.properties.met(property, &who, &state))
    }

    fn not_closed(&mut self, shared: u32, actor: &Actor, to: u32, is_named: bool) -> CheckError {
        let (thread, name) = (actor.thread, self.desk.name(actor.thread));
        let what = "the union is not closed, as far as the proof says";
        let why = match is_named {
            true => "and the product that it names does not have all states after that",
            false => "and it names no product for the states after that",
        };
        for &local in self.sets.elements(actor.set).clone().iter() {
            let mut moves = Vec::new();
            let spot = Spot { context: 0, local };
            if self.desk.moves(actor.like, shared, spot, &Callers::default(), &mut moves).is_err() {
                continue;
            }
            if let Some(step) = moves.iter().find(|step| step.shared == to) {
                let (from, by) = (self.desk.shown(thread, shared, local), self.desk.shown_move(step));
                let after = self.desk.shown(thread, to, step.landing.running());
                return refuted(format!("{what}: from\n  {from}\n{name}{by} leads to\n  {after}\n{why}"));
            }
        }
        refuted(format!("{what}: a step of {name} leads on, {why}"))
    }

    /// A state of the product of these components.
    fn shown(&self, shared: u32, components: &[u32]) -> String {
        let first = |&set: &u32| self.desk.locals.words(self.sets.elements(set)[0]).into();
        let locals = components.iter().take(MAX_SHOWN).map(first).collect();
        show_state(self.desk.instance, &State { shared: self.desk.stores.words(shared).into(), locals })
    }
}
