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
use crate::desk::{Desk, Move, Spot};
use crate::properties::{Candidates, Properties};
use crate::{CheckError, refuted};
use std::sync::Arc;
use threadwise_evidence::{Annotation, ModularProof};
use threadwise_ir::{Instance, Observations, Program, TemplateId};
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
        let judged = Judge::new(&instance, case, recursive, &properties, budget).and_then(Judge::judge);
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
}

/// What the threads can do at a shared store. The judge goes from store to store, so that a move is
/// computed once and need not be kept.
#[derive(Default)]
struct Gathering {
    shared: u32,
    /// Where the threads may be, thread by thread, and where the moves from there end.
    spots: Vec<(Spot, usize)>,
    /// For each thread where its spots end.
    ends: Vec<usize>,
    moves: Vec<Move>,
    /// The moves that change the store: the store after, the thread, the number of the move; in order.
    changes: Vec<(u32, usize, usize)>,
    /// For each thread what its moves access.
    shown: Vec<Observations>,
}

impl Gathering {
    fn spots(&self, thread: usize) -> std::ops::Range<usize> {
        end_before(thread, |thread| self.ends[thread])..self.ends[thread]
    }

    fn moves(&self, spot: usize) -> &[Move] {
        &self.moves[end_before(spot, |spot| self.spots[spot].1)..self.spots[spot].1]
    }
}

fn end_before(index: usize, end: impl Fn(usize) -> usize) -> usize {
    index.checked_sub(1).map_or(0, end)
}

impl<'a> Judge<'a> {
    fn new(
        instance: &'a Instance,
        case: &Annotation,
        recursive: bool,
        properties: &'a Properties<'a>,
        budget: &'a Budget,
    ) -> Result<Judge<'a>, CheckError> {
        let mut desk = Desk::new(instance, recursive, budget);
        let annotated = Annotated::new(&mut desk, case)?;
        Ok(Judge { desk, annotated, properties })
    }

    fn judge(mut self) -> Result<(), CheckError> {
        let initial = self.desk.initial_stores()?;
        let templates = (0..self.desk.instance.program.templates.len() as u32).map(TemplateId);
        let instance = self.desk.instance;
        let populated: Vec<TemplateId> = templates.filter(|&t| !instance.copies_of(t).is_empty()).collect();
        let Some(&first) = populated.first() else {
            return initial.into_iter().try_for_each(|shared| self.properties_follow(&Gathering::at(shared)));
        };
        for &template in &populated {
            self.holds_initially(instance.copies_of(template).start, &initial)?;
        }
        let mut gathering = Gathering::default();
        // That the annotation is none is worse news than what does not follow from it.
        let mut does_not_follow = Ok(());
        for shared in 0..self.annotated.stores() {
            let speaks = |template: &TemplateId| self.annotated.speaks_of(*template, shared);
            let speaking: Vec<TemplateId> = populated.iter().copied().filter(speaks).collect();
            if speaking.is_empty() {
                continue;
            }
            self.gather(shared, &mut gathering)?;
            for &template in &speaking {
                let thread = instance.copies_of(template).start;
                self.admits_own_steps(thread, &gathering)?;
                self.admits_steps_of_others(thread, &gathering)?;
            }
            // The stores of all states are among those of the first thread.
            if speaking.contains(&first) && does_not_follow.is_ok() {
                does_not_follow = self.properties_follow(&gathering);
            }
        }
        does_not_follow
    }

    /// Everything the threads can do at a store. Nothing can go wrong there: that is part of point 4.
    fn gather(&mut self, shared: u32, here: &mut Gathering) -> Result<(), CheckError> {
        here.clear(shared);
        for thread in 0..self.desk.instance.threads.len() {
            let mut shown = Observations::default();
            for &spot in self.annotated.spots(&mut self.desk, thread, shared) {
                let callers = self.annotated.callers(&self.desk, thread, spot.context);
                shown.add_all(&self.desk.moves(thread, shared, spot, callers, &mut here.moves)?);
                let from = end_before(here.spots.len(), |spot| here.spots[spot].1);
                for (number, step) in here.moves.iter().enumerate().skip(from) {
                    if step.shared != shared {
                        here.changes.push((step.shared, thread, number));
                    }
                }
                here.spots.push((spot, here.moves.len()));
            }
            here.ends.push(here.spots.len());
            here.shown.push(shown);
        }
        here.changes.sort_unstable();
        here.changes.dedup_by_key(|&mut (after, thread, _)| (after, thread));
        if self.desk.all_single {
            keep_two_of_each(&mut here.changes);
        }
        Ok(())
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

    /// Point 2.
    fn admits_own_steps(&mut self, thread: usize, here: &Gathering) -> Result<(), CheckError> {
        for at in here.spots(thread) {
            for step in here.moves(at) {
                if !self.annotated.admits_landing(&mut self.desk, thread, step.shared, step.landing) {
                    let from = self.desk.shown(thread, here.shared, here.spots[at].0.local);
                    let to = self.desk.shown(thread, step.shared, step.landing.running());
                    let (name, what) = (self.desk.name(thread), self.desk.shown_move(step));
                    return Err(refuted(format!(
                        "the annotation of {name} does not admit its own steps: from\n  {from}\n{name}{what} \
                         reaches\n  {to}\nwhich is not in it"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Point 3.
    fn admits_steps_of_others(&mut self, thread: usize, here: &Gathering) -> Result<(), CheckError> {
        let all_single = self.desk.all_single;
        let like_before =
            if all_single { Vec::new() } else { self.desk.like_the_one_before(here.shared, Some(thread)) };
        let mut admitted = None;
        for &(after, other, number) in &here.changes {
            self.desk.ask_budget()?;
            if other == thread || !all_single && like_before[other] || admitted == Some(after) {
                continue;
            }
            admitted = Some(after);
            for &(spot, _) in &here.spots[here.spots(thread)] {
                if !self.annotated.admits(&mut self.desk, thread, after, spot) {
                    let from = self.desk.shown(thread, here.shared, spot.local);
                    let to = self.desk.shown(thread, after, spot.local);
                    let (name, what) = (self.desk.name(thread), self.desk.shown_move(&here.moves[number]));
                    let other = self.desk.name(other);
                    return Err(refuted(format!(
                        "the annotation of {name} does not admit the steps of others: from\n  {from}\n\
                         {other}{what} leads to\n  {to}\nwhich is not in it"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Point 4.
    fn properties_follow(&mut self, here: &Gathering) -> Result<(), CheckError> {
        let mut candidates = Candidates::new(here.shared, self.desk.like_the_one_before(here.shared, None));
        for (thread, shown) in here.shown.iter().enumerate() {
            candidates.add_thread(here.spots[here.spots(thread)].iter().map(|(spot, _)| spot.local), shown.clone());
        }
        self.properties.hold(&mut self.desk, &candidates)
    }
}

impl Gathering {
    /// No threads at a store.
    fn at(shared: u32) -> Gathering {
        Gathering { shared, ..Gathering::default() }
    }

    fn clear(&mut self, shared: u32) {
        let Gathering { shared: of, spots, ends, moves, changes, shown } = self;
        *of = shared;
        spots.clear();
        ends.clear();
        moves.clear();
        changes.clear();
        shown.clear();
    }
}

/// Of changes to the same store by many threads keeps two: for each thread one by another.
fn keep_two_of_each(changes: &mut Vec<(u32, usize, usize)>) {
    let mut kept = (None, 0);
    changes.retain(|&(after, ..)| {
        kept = if kept.0 == Some(after) { (kept.0, kept.1 + 1) } else { (Some(after), 1) };
        kept.1 <= 2
    });
}
