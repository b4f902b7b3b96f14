//! Proofs by a sequence of sets of thread states (CART, sections 1.12 and 1.13.2).
//!
//! # The idea
//!
//! Each member of the sequence has, for each thread, a set of pairs of a shared store and a local
//! state. It stands for the program states in which, for every thread, the pair of the shared store
//! and the thread's local state is in the thread's set. Suppose that
//!
//! 1. *initially*: the first member stands for all initial states,
//! 2. *steps*: each member but the last is followed by one that has, for each thread, the pairs after
//!    the steps from the program states that the member stands for; and for the last, some member has
//!    them,
//! 3. *properties*: no step from these states goes wrong, and none of them violates a property.
//!
//! Then every step from a state that some member stands for leads to a state that some member stands
//! for. So all reachable states are among those that members stand for, and none is an error.
//!
//! A member stands for a program state with some shared store only if every thread has a pair with
//! that store. If so, any such pairs can be combined, and so the pairs after a step of a thread are
//! found without combining them: the thread's pair after the step, and for each other thread the
//! pairs of the new store and of its local states at the old one.
//!
//! The proof is about a fixed number of threads, each with its own sets, and without recursion.

use crate::desk::{Callers, Desk, Move, Spot};
use crate::properties::{Candidates, Properties};
use crate::{CheckError, refuted};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;
use threadwise_evidence::{FrontierProof, StatesByStore};
use threadwise_ir::{Instance, Observations, Program};
use threadwise_limits::Budget;

/// Checks the three points; gives the number of thread states in the proof.
pub(crate) fn check(program: &Arc<Program>, proof: &FrontierProof, budget: &Budget) -> Result<u64, CheckError> {
    if program.has_any_copies() {
        return Err(refuted("a sequence of sets covers only a fixed number of copies, not `[*]`"));
    }
    if program.is_recursive() {
        return Err(refuted("a sequence of sets does not cover recursive procedures"));
    }
    let instance = Instance::new(program.clone(), 0);
    proof.validate(&instance).map_err(|e| refuted(format!("the proof does not fit the program: {e}")))?;
    let properties = Properties::new(program);
    let mut desk = Desk::new(&instance, false, budget);
    let iterates = proof.iterates.iter().map(|iterate| Member::new(&mut desk, iterate)).collect();
    let moves = FxHashMap::default();
    Judge { desk, iterates, properties: &properties, no_callers: Callers::default(), moves }.judge()?;
    Ok(proof.states())
}

/// A member of the sequence: for each thread its local states by shared store.
struct Member {
    threads: Vec<FxHashMap<u32, FxHashSet<u32>>>,
}

impl Member {
    fn new(desk: &mut Desk<'_>, iterate: &[StatesByStore]) -> Member {
        let numbered = |states: &StatesByStore| {
            let mut by_store: FxHashMap<u32, FxHashSet<u32>> = FxHashMap::default();
            for (shared, locals) in states {
                let shared = desk.stores.number(shared);
                by_store.entry(shared).or_default().extend(locals.iter().map(|local| desk.locals.number(local)));
            }
            by_store
        };
        Member { threads: iterate.iter().map(numbered).collect() }
    }

    fn has(&self, thread: usize, shared: u32, local: u32) -> bool {
        self.threads[thread].get(&shared).is_some_and(|locals| locals.contains(&local))
    }

    /// The local states of a thread with a shared store, in order.
    fn locals(&self, thread: usize, shared: u32) -> Vec<u32> {
        let mut locals: Vec<u32> = self.threads[thread].get(&shared).into_iter().flatten().copied().collect();
        locals.sort_unstable();
        locals
    }

    /// The shared stores of the states that this stands for, in order; if there are threads at all.
    fn stores(&self) -> Vec<u32> {
        let [first, others @ ..] = self.threads.as_slice() else { return Vec::new() };
        let everywhere = |shared: &&u32| others.iter().all(|thread| thread.contains_key(shared));
        let mut stores: Vec<u32> = first.keys().filter(everywhere).copied().collect();
        stores.sort_unstable();
        stores
    }
}

struct Judge<'a> {
    desk: Desk<'a>,
    iterates: Vec<Member>,
    properties: &'a Properties<'a>,
    no_callers: Callers,
    /// By thread, shared store and local state: the moves, and what they access. Many members of the
    /// sequence have the same states.
    moves: FxHashMap<(usize, u32, u32), Moves>,
}

/// Everything a thread can do, and what it accesses.
type Moves = Rc<(Vec<Move>, Observations)>;

impl Judge<'_> {
    fn judge(mut self) -> Result<(), CheckError> {
        let initial = self.desk.initial_stores()?;
        if self.desk.instance.threads.is_empty() {
            return initial.into_iter().try_for_each(|shared| self.properties_hold(None, shared));
        }
        self.holds_initially(&initial)?;
        for at in 0..self.iterates.len() {
            for shared in self.iterates[at].stores() {
                self.properties_hold(Some(at), shared)?;
            }
            self.leads_on(at)?;
        }
        Ok(())
    }

    /// Point 1.
    fn holds_initially(&mut self, initial: &[u32]) -> Result<(), CheckError> {
        for &shared in initial {
            for thread in 0..self.desk.instance.threads.len() {
                for local in self.desk.starts(thread, shared)? {
                    if !self.iterates.first().is_some_and(|first| first.has(thread, shared, local)) {
                        let state = self.desk.shown(thread, shared, local);
                        return Err(refuted(format!("the sequence does not start with the initial state\n  {state}")));
                    }
                }
            }
        }
        Ok(())
    }

    /// Point 2.
    fn leads_on(&mut self, at: usize) -> Result<(), CheckError> {
        if at + 1 < self.iterates.len() {
            let missing = self.first_missing(at, at + 1)?;
            return missing.map_or(Ok(()), |missing| {
                Err(refuted(format!("the set number {} does not lead to the next: {missing}", at + 1)))
            });
        }
        let mut closest = None;
        for into in (0..self.iterates.len()).rev() {
            match self.first_missing(at, into)? {
                None => return Ok(()),
                Some(missing) => closest = closest.or(Some(missing)),
            }
        }
        let missing = closest.unwrap_or_default();
        Err(refuted(format!("the last set does not lead back to any: {missing}")))
    }

    /// A thread state after a step from one member that is not in another.
    fn first_missing(&mut self, from: usize, into: usize) -> Result<Option<String>, CheckError> {
        let threads = self.desk.instance.threads.len();
        for shared in self.iterates[from].stores() {
            let locals: Vec<Vec<u32>> = (0..threads).map(|thread| self.iterates[from].locals(thread, shared)).collect();
            for thread in 0..threads {
                for &local in &locals[thread] {
                    for step in &self.moves(thread, shared, local)?.0 {
                        self.desk.ask_budget()?;
                        let missing = self.missing_after(into, thread, step, &locals);
                        if let Some((whose, lost)) = missing {
                            let (from, to) =
                                (self.desk.shown(thread, shared, local), self.desk.shown(whose, step.shared, lost));
                            let (name, what) = (self.desk.name(thread), self.desk.shown_move(step));
                            return Ok(Some(format!(
                                "from\n  {from}\n{name}{what} leads to\n  {to}\nwhich is not in it"
                            )));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// What a thread can do.
    fn moves(&mut self, thread: usize, shared: u32, local: u32) -> Result<Moves, CheckError> {
        if let Some(known) = self.moves.get(&(thread, shared, local)) {
            return Ok(known.clone());
        }
        let mut moves = Vec::new();
        let shown = self.desk.moves(thread, shared, Spot { context: 0, local }, &self.no_callers, &mut moves)?;
        let known = Rc::new((moves, shown));
        self.moves.insert((thread, shared, local), known.clone());
        Ok(known)
    }

    /// The thread and local state that the member lacks after a step of `thread`.
    fn missing_after(&self, into: usize, thread: usize, step: &Move, locals: &[Vec<u32>]) -> Option<(usize, u32)> {
        let member = &self.iterates[into];
        let lacks = |whose: usize, local: u32| (!member.has(whose, step.shared, local)).then_some((whose, local));
        lacks(thread, step.landing.running()).or_else(|| {
            let others = (0..locals.len()).filter(|&other| other != thread);
            others
                .flat_map(|other| locals[other].iter().map(move |&local| (other, local)))
                .find_map(|(o, l)| lacks(o, l))
        })
    }

    /// Point 3.
    fn properties_hold(&mut self, at: Option<usize>, shared: u32) -> Result<(), CheckError> {
        let threads = self.desk.instance.threads.len();
        let mut candidates = Candidates::new(shared, vec![false; threads]);
        for (thread, at) in (0..threads).zip(std::iter::repeat(at).flatten()) {
            let locals = self.iterates[at].locals(thread, shared);
            let mut shown = Observations::default();
            for &local in &locals {
                shown.add_all(&self.moves(thread, shared, local)?.1);
            }
            candidates.add_thread(locals.into_iter(), shown);
        }
        self.properties.hold(&mut self.desk, &candidates)
    }
}
