//! Proofs by abstract threads.
//!
//! # The idea
//!
//! A specified thread T comes with an abstract thread T#, which speaks of the same shared variables.
//! Suppose that whenever the whole program P takes a step, T# can take part in T's place: it can be
//! in one of some *candidate* nodes. Say that a set of nodes F is one *for* a local state l of T if,
//! in every execution that has led T to l, T# can have followed it, with the same shared stores, to
//! **each** node of F. Suppose the proof lists sets of nodes for the local states of T, and
//!
//! 1. for every start of T one of its sets has only initial nodes of T#;
//! 2. for every local state l with a listed set F, and every shared store g at all in which T#
//!    does not go wrong in any node of F,
//!    - no step of T goes wrong, and no property of T alone is violated;
//!    - for every step of T from (g, l) to (g', l') one of the sets of l' has only nodes to which T#
//!      can go from a node of F while the shared store changes from g to g';
//! 3. every listed set has a node that agrees with l on the labels that properties ask for.
//!
//! Then, by induction on the number of steps of an execution of P up to its first error, for each
//! specified thread one of the sets of its local state is a set for it; unless T# goes wrong
//! somewhere on the way, in a shared store and a node that the composition P# reaches as well. Choose
//! in each of these sets a node as in 3: P# reaches the same shared store with these nodes. So an
//! error of P is an error of P#: one in a step of a specified thread, or of a property of it alone,
//! is excluded by 2 unless T# goes wrong; every other step is one that P# has too; and every other
//! property has in P# the same value. If P# is safe, P is (ABSTHR, theorem 1).
//!
//! That P# is safe is a proof of another kind, about another program, and judged as such.
//!
//! Where a thread has infinitely many states, the sets of nodes are given by assertions on the thread's
//! locals and the set; [`conformance_assertions`] asks a solver the same three points.
//!
//! # Which stores, which threads
//!
//! A shared variable that neither T nor T# nor a property of T alone mentions changes nothing in 1
//! to 3, so it may have any one value there. Copies of a thread that cannot be told apart by `ord`
//! are permuted to each other, so one of them is enough. Where there may be any number of threads,
//! T and T# must not speak of threads at all, for then the number makes no difference.

use crate::{CheckError, conformance_assertions, refuted};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use threadwise_evidence::{ConformanceProof, Simulation, conformance_instance, show_local, show_shared};
use threadwise_ir::{AbstractThread, Abstraction, Gap, Instance, Program, Store, ThreadId};
use threadwise_limits::Budget;

/// Checks the proof; gives the number of sets and states it lists.
pub(crate) fn check(program: &Arc<Program>, proof: &ConformanceProof, budget: &Budget) -> Result<u64, CheckError> {
    let abstraction = program.abstraction().map_err(|e| refuted(format!("a property cannot be asked: {}", e.why)))?;
    let instance = conformance_instance(program);
    let mut listed = 0;
    for thread in instance.specified_threads() {
        let name = instance.tid_name(i64::from(thread.0) + 1);
        let found = proof.threads.iter().find(|conformance| conformance.thread == thread);
        let found = found.ok_or_else(|| refuted(format!("it does not say why {name} conforms")))?;
        found.validate(&instance).map_err(|e| refuted(format!("the proof does not fit the program: {e}")))?;
        let template = instance.threads[thread.index()].template;
        match &found.simulation {
            Simulation::Candidates(states) => {
                if program.has_any_copies() && instance.depends_on_copies(template, &abstraction.local) {
                    return Err(refuted(format!("whether {name} conforms may depend on the number of threads")));
                }
                Judge::new(&instance, &abstraction, thread, states, budget)?.check()?;
            }
            Simulation::Assertions(points) => {
                conformance_assertions::check(&instance, &abstraction, thread, points, budget)?;
            }
        }
        listed += found.simulation.size();
    }
    let composition = crate::check(&abstraction.composition, &proof.composition, budget);
    match composition {
        Ok(checked) => Ok(listed + checked.states()),
        Err(CheckError::Refuted(why)) => Err(refuted(format!("the abstract threads together: {why}"))),
        Err(other) => Err(other),
    }
}

struct Judge<'a> {
    instance: &'a Instance,
    abstraction: &'a Abstraction,
    thread: ThreadId,
    specification: &'a AbstractThread,
    /// The sets listed for each local state.
    sets: FxHashMap<&'a [i64], &'a [u64]>,
    /// The shared stores, each with the nodes in which the abstract thread goes wrong.
    stores: Vec<(Store, u64)>,
    budget: &'a Budget,
}

impl<'a> Judge<'a> {
    fn new(
        instance: &'a Instance,
        abstraction: &'a Abstraction,
        thread: ThreadId,
        states: &'a [(Store, Vec<u64>)],
        budget: &'a Budget,
    ) -> Result<Judge<'a>, CheckError> {
        let template = instance.threads[thread.index()].template;
        let specification = instance.program.abstract_thread(template).expect("the thread is specified");
        if specification.nodes.len() > u64::BITS as usize {
            return Err(refuted("the abstract thread has too many nodes"));
        }
        let mut judge = Judge {
            instance,
            abstraction,
            thread,
            specification,
            sets: states.iter().map(|(local, sets)| (&local[..], &sets[..])).collect(),
            stores: Vec::new(),
            budget,
        };
        let relevant = instance.shared_of(template, &abstraction.local);
        let (stores, gap) = instance.stores_over(&relevant);
        if let Some(gap) = gap {
            return Err(judge.gap("all shared stores", gap));
        }
        for store in stores {
            let mut wrong = 0;
            for (index, node) in specification.nodes.iter().enumerate() {
                let goes_wrong = instance.goes_wrong_in(node, thread, &store);
                wrong |= u64::from(goes_wrong.map_err(|gap| judge.gap("a node", gap))?) << index;
            }
            judge.stores.push((store, wrong));
        }
        Ok(judge)
    }

    fn check(&self) -> Result<(), CheckError> {
        self.starts_are_listed()?;
        for (local, sets) in &self.sets {
            self.budget.check()?;
            self.labels_agree(local, sets)?;
            for store in &self.stores {
                self.follows(local, sets, store)?;
            }
        }
        Ok(())
    }

    /// Point 1.
    fn starts_are_listed(&self) -> Result<(), CheckError> {
        let starts = self.instance.starts(self.thread, &vec![0; self.instance.shared_words()]);
        if !starts.failures.is_empty() {
            return Err(refuted(format!("{} goes wrong at its start", self.name())));
        }
        if let Some(gap) = starts.gap {
            return Err(self.gap("the start of the thread", gap));
        }
        let initial = self.specification.init.iter().fold(0, |set, &node| set | 1 << node);
        for start in &starts.successors {
            if !self.has_set_within(&start.local, initial) {
                let local = show_local(self.instance, &start.local);
                return Err(refuted(format!(
                    "no set of initial nodes is listed for the start of {}, {local}",
                    self.name()
                )));
            }
        }
        Ok(())
    }

    fn has_set_within(&self, local: &[i64], nodes: u64) -> bool {
        self.sets.get(local).is_some_and(|sets| sets.iter().any(|set| set & !nodes == 0))
    }

    /// Point 2, for one shared store. A set of candidates in which the abstract thread goes wrong
    /// somewhere asks for nothing.
    fn follows(&self, local: &[i64], sets: &[u64], (g, wrong): &(Store, u64)) -> Result<(), CheckError> {
        let mut asking = sets.iter().filter(|set| *set & wrong == 0).peekable();
        if asking.peek().is_none() {
            return Ok(());
        }
        let steps = self.instance.steps(self.thread, g, local);
        if let Some(failure) = steps.failures.first() {
            let place = self.instance.program.source.locate(failure.span);
            return Err(refuted(format!("{}\ngoes wrong at {place}, and no candidate does", self.shown(g, local))));
        }
        if let Some(gap) = steps.gap {
            return Err(self.gap("a step of the thread", gap));
        }
        for property in self.abstraction.local.iter().filter(|p| p.template == self.specification.template) {
            let violated = self.instance.violates(property, self.thread, g, local);
            if violated.map_err(|gap| self.gap("a property", gap))? {
                let program = &self.instance.program;
                let text = program.source.snippet(program.property(property.property).span, 80);
                return Err(refuted(format!("{}\nviolates `{text}`, and no candidate is wrong", self.shown(g, local))));
            }
        }
        for set in asking {
            for step in &steps.successors {
                let reached = self.reached(*set, g, &step.shared)?;
                if !self.has_set_within(&step.local, reached) {
                    let (before, after) = (self.shown(g, local), self.shown(&step.shared, &step.local));
                    return Err(refuted(format!(
                        "a step leads from\n  {before}\nto\n  {after}\nfor which the proof lists no set of candidates"
                    )));
                }
            }
        }
        Ok(())
    }

    /// The nodes to which the abstract thread can go from the set with this change of the store.
    fn reached(&self, set: u64, before: &[i64], after: &[i64]) -> Result<u64, CheckError> {
        let mut reached = if self.specification.idle && before == after { set } else { 0 };
        for edge in self.specification.edges.iter().filter(|edge| set >> edge.from & 1 == 1) {
            let leads = self.instance.leads(edge, self.thread, before, after);
            reached |= u64::from(leads.map_err(|gap| self.gap("an edge", gap))?) << edge.to;
        }
        Ok(reached)
    }

    /// Point 3.
    fn labels_agree(&self, local: &[i64], sets: &[u64]) -> Result<(), CheckError> {
        let location = self.instance.location_of(local);
        let agrees = |node: usize| self.abstraction.agrees(self.specification.template, location, node);
        let has_agreeing =
            |set: &u64| (0..self.specification.nodes.len()).any(|node| set >> node & 1 == 1 && agrees(node));
        if sets.iter().all(has_agreeing) {
            return Ok(());
        }
        let local = show_local(self.instance, local);
        Err(refuted(format!("a set listed for {} {local} has no node that may stand for it", self.name())))
    }

    fn name(&self) -> String {
        self.instance.tid_name(i64::from(self.thread.0) + 1)
    }

    fn shown(&self, shared: &[i64], local: &[i64]) -> String {
        format!("{}; {} {}", show_shared(self.instance, shared), self.name(), show_local(self.instance, local))
    }

    fn gap(&self, what: &str, gap: Gap) -> CheckError {
        let place = self.instance.program.source.locate(gap.span());
        refuted(format!("{what} cannot be judged: {}, at {place}", gap.describe()))
    }
}
