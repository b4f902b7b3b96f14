//! Proofs by an annotation of each thread (CART, section 1.10; FQ, sections 2.2 and 3.1).
//!
//! # The idea
//!
//! An annotation says of each thread what its states can be: a set of pairs of a shared store and a
//! local state. Take all program states in which, for every thread, the pair of the shared store and
//! the thread's local state is in the thread's set. Suppose that
//!
//! 1. *initially*: every initial state is among them;
//! 2. *own steps*: where a step of a thread leads from a pair in its set, that pair is in its set too;
//! 3. *steps of others*: where a pair of a thread is in its set, and another thread can be at the same
//!    shared store, by its own set, and change the store by a step, the pair of the new store and the
//!    thread's old local state is in its set;
//! 4. *properties*: no step from the pairs goes wrong, and no combination of pairs with the same shared
//!    store, one of each thread, violates a property.
//!
//! Then every step from one of these program states leads to one: the thread that takes it is taken
//! care of by 2, the others by 3. So all reachable states are among them, and none is an error.
//!
//! Where the semantics leaves a *gap*, the points cannot be checked and the proof is refused.
//!
//! # Copies
//!
//! Of several copies of a thread, the annotation speaks only of the first. The program does not tell
//! the copies apart (`ir` is asked, not the proof), so what it says of the first copy it says, with
//! names permuted, of the others; [`crate::viewpoint`] does the permuting. It is then enough to check
//! points 1 to 3 for first copies, and only one of several other threads that can be swapped.
//!
//! The proof has a case for each number of copies that has to be looked at: see [`crate::coverage`].
//!
//! # Recursion
//!
//! With recursive procedures stacks have no bound. The annotation then has *contexts*: one for the
//! thread's own code, and one or more for calls. A context has pairs with just the running frame, and
//! it lists from where it is called: contexts and frames of callers. Take all stacks whose frames are
//! linked like that, from the running one down to one in the context of the thread's own code. Point 2
//! becomes: for each caller that a context lists, a step in the running frame stays in the context, a
//! call leads to a context that lists the caller, and a return leads to the caller's context; each time
//! with a pair that is in that context. By induction all stacks that occur are among those taken. What
//! a step does depends only on the running frame and, if it returns, on the caller's frame, so nothing
//! below need be known.
//!
//! A pair must be in its context with the store *after* the others' steps, and callers wait while the
//! store changes; but their own pairs are in no need of that: when they are resumed it is with the
//! store of the callee.

use crate::annotated::Annotated;
use crate::coverage::{cases_cover, show_copies};
use crate::desk::{Desk, Spot};
use crate::properties::{Candidates, Properties};
use crate::{CheckError, refuted};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;
use threadwise_evidence::{Annotation, ModularProof};
use threadwise_ir::{Access, Instance, Program, TemplateId};
use threadwise_limits::Budget;

/// Checks the four points for all cases; gives the number of thread states in the proof.
pub(crate) fn check(program: &Arc<Program>, proof: &ModularProof, budget: &Budget) -> Result<u64, CheckError> {
    cases_cover(program, &proof.cases)?;
    proof.validate(program).map_err(|e| refuted(format!("the proof does not fit the program: {e}")))?;
    let properties = Properties::new(program);
    let recursive = program.is_recursive();
    if let Some(id) = properties.reading_locals().filter(|_| recursive) {
        let text = properties.text(id);
        return Err(refuted(format!(
            "`{text}` reads a thread's variables, of which nothing is known while a recursive procedure runs"
        )));
    }
    for case in &proof.cases {
        let instance = Instance::with_copies(program.clone(), &case.copies);
        let judged = Judge::new(&instance, case, recursive, &properties, budget).judge();
        judged.map_err(|error| match error {
            CheckError::Refuted(reason) if proof.cases.len() > 1 => {
                refuted(format!("{}: {reason}", show_copies(program, &case.copies)))
            }
            other => other,
        })?;
    }
    Ok(proof.states())
}

struct Judge<'a> {
    desk: Desk<'a>,
    annotated: Annotated,
    properties: &'a Properties<'a>,
    /// By store, the threads and where they are when some step of theirs changes it. Kept only where
    /// all threads see the same, for then it is asked for by each of them.
    changing: FxHashMap<u32, Rc<[(usize, Spot)]>>,
}

impl<'a> Judge<'a> {
    fn new(
        instance: &'a Instance,
        case: &Annotation,
        recursive: bool,
        properties: &'a Properties<'a>,
        budget: &'a Budget,
    ) -> Judge<'a> {
        let mut desk = Desk::new(instance, recursive, budget);
        let annotated = Annotated::new(&mut desk, case);
        Judge { desk, annotated, properties, changing: FxHashMap::default() }
    }

    fn judge(mut self) -> Result<(), CheckError> {
        let initial = self.desk.initial_stores()?;
        let templates = (0..self.desk.instance.program.templates.len() as u32).map(TemplateId);
        let instance = self.desk.instance;
        let populated: Vec<TemplateId> = templates.filter(|&t| !instance.copies_of(t).is_empty()).collect();
        for &template in &populated {
            let thread = instance.copies_of(template).start;
            self.holds_initially(thread, &initial)?;
            for shared in self.annotated.stores(template) {
                let spots = self.annotated.spots(&mut self.desk, thread, shared);
                self.admits_own_steps(thread, shared, &spots)?;
                self.admits_steps_of_others(thread, shared, &spots)?;
            }
        }
        // The stores of all states are among those of the first thread; or the initial ones, if
        // there is no thread.
        let stores = populated.first().map_or(initial, |&template| self.annotated.stores(template));
        stores.into_iter().try_for_each(|shared| self.properties_follow(shared))
    }

    /// Point 1.
    fn holds_initially(&mut self, thread: usize, initial: &[u32]) -> Result<(), CheckError> {
        for &shared in initial {
            for local in self.desk.starts(thread, shared)? {
                if !self.annotated.admits(&mut self.desk, thread, shared, Spot { context: 0, local }) {
                    let state = self.desk.shown(thread, shared, local);
                    return Err(refuted(format!("the annotation does not hold initially: it lacks\n  {state}")));
                }
            }
        }
        Ok(())
    }

    /// Point 2, and that no step goes wrong.
    fn admits_own_steps(&mut self, thread: usize, shared: u32, spots: &[Spot]) -> Result<(), CheckError> {
        for &spot in spots {
            let callers = self.annotated.callers(&self.desk, thread, spot.context);
            for step in &self.desk.moves(thread, shared, spot, &callers)?.moves {
                if !self.annotated.admits_landing(&mut self.desk, thread, step.shared, step.landing) {
                    let (from, name) = (self.desk.shown(thread, shared, spot.local), self.desk.name(thread));
                    let to = self.desk.shown(thread, step.shared, step.landing.running());
                    let what = self.desk.shown_move(step);
                    return Err(refuted(format!(
                        "the annotation of {name} does not admit its own steps: from\n  {from}\n{name}{what} \
                         reaches\n  {to}\nwhich is not in it"
                    )));
                }
            }
        }
        Ok(())
    }

    /// The threads, and where they are, whose steps may change the store.
    fn changing(&mut self, shared: u32) -> Result<Rc<[(usize, Spot)]>, CheckError> {
        if let Some(known) = self.changing.get(&shared) {
            return Ok(known.clone());
        }
        let mut changing = Vec::new();
        for thread in 0..self.desk.instance.threads.len() {
            for spot in self.annotated.spots(&mut self.desk, thread, shared) {
                let callers = self.annotated.callers(&self.desk, thread, spot.context);
                let moves = self.desk.moves(thread, shared, spot, &callers)?;
                if moves.moves.iter().any(|step| step.shared != shared) {
                    changing.push((thread, spot));
                }
            }
        }
        let changing: Rc<[(usize, Spot)]> = changing.into();
        if self.desk.all_single {
            self.changing.insert(shared, changing.clone());
        }
        Ok(changing)
    }

    /// Point 3.
    fn admits_steps_of_others(&mut self, thread: usize, shared: u32, spots: &[Spot]) -> Result<(), CheckError> {
        let all_single = self.desk.all_single;
        let like_before = if all_single { Vec::new() } else { self.desk.like_the_one_before(shared, Some(thread)) };
        let mut changed = FxHashSet::default();
        for &(other, theirs) in self.changing(shared)?.iter() {
            if other != thread && (all_single || !like_before[other]) {
                let callers = self.annotated.callers(&self.desk, other, theirs.context);
                for step in &self.desk.moves(other, shared, theirs, &callers)?.moves {
                    if step.shared == shared || !changed.insert(step.shared) {
                        continue;
                    }
                    for &spot in spots {
                        if !self.annotated.admits(&mut self.desk, thread, step.shared, spot) {
                            let from = self.desk.shown(thread, shared, spot.local);
                            let to = self.desk.shown(thread, step.shared, spot.local);
                            let (name, what) = (self.desk.name(thread), self.desk.shown_move(step));
                            let other = self.desk.name(other);
                            return Err(refuted(format!(
                                "the annotation of {name} does not admit the steps of others: from\n  {from}\n\
                                 {other}{what} leads to\n  {to}\nwhich is not in it"
                            )));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Point 4.
    fn properties_follow(&mut self, shared: u32) -> Result<(), CheckError> {
        let mut candidates = Candidates {
            shared,
            threads: Vec::new(),
            like_before: self.desk.like_the_one_before(shared, None),
            access: Vec::new(),
        };
        for thread in 0..self.desk.instance.threads.len() {
            let spots = self.annotated.spots(&mut self.desk, thread, shared);
            candidates.access.push(self.accessed(thread, shared, &spots)?);
            let mut locals: Vec<u32> = spots.iter().map(|spot| spot.local).collect();
            locals.sort_unstable();
            locals.dedup();
            candidates.threads.push(locals);
        }
        self.properties.hold(&mut self.desk, &candidates)
    }

    /// What the next steps of a thread access. They are looked up under the first copy's name, where
    /// they are known already: a permutation of names does not change which variables they access.
    fn accessed(&mut self, thread: usize, shared: u32, spots: &[Spot]) -> Result<Access, CheckError> {
        let mut access = Access::default();
        if self.properties.forbid_races() {
            let view = self.desk.view(thread, shared);
            let first = self.desk.instance.copies_of(self.desk.instance.threads[thread].template).start;
            for &spot in spots {
                let callers = self.annotated.callers(&self.desk, first, spot.context);
                access = access.union(self.desk.moves(first, view, spot, &callers)?.access);
            }
        }
        Ok(access)
    }
}
