//! Proofs by an annotation of each thread, judged again after an edit.
//!
//! # The idea
//!
//! The four points that [`crate::modular`] checks are each about a thread state, or about two of threads that meet at a shared store. A judge
//! who remembers what he has checked need not do so again where neither the thread nor what is said of it has changed: a thread that was
//! not edited has the same steps as before ([`Program::edits_since`] tells, from the two programs). A thread state is *fresh* if its
//! thread was edited, or if it was not there before. Then it is enough to check
//!
//! 1. *initially*: all of it, again;
//! 2. *own steps*: those from fresh states. Other states had their steps, and these lead to states that are still there, for a thread
//!    that was not edited loses none;
//! 3. *steps of others*: fresh states against all that the others do at their store, and all states against the steps that others
//!    take from fresh states there. The changes of a store by steps from states that are not fresh are those of before;
//! 4. *properties*: no step from a fresh state goes wrong; and all combinations, again, at all shared stores. What a thread
//!    shows to patterns is remembered for states that are not fresh.
//!
//! What was checked first is a proof of a program of which nothing is remembered: then every state is fresh. So there is one way to judge, and
//! it is compared with [`crate::modular`], which remembers nothing.
//!
//! # What is trusted
//!
//! A [`Remembered`] is made here, of what was checked here, and lives in memory; no file holds one. Nobody else can make or change one.
//!
//! # What is left out
//!
//! Threads with copies, and recursion: there is nothing to be remembered of these.

use crate::desk::{Desk, Move, Spot};
use crate::landing::Landing;
use crate::properties::{Candidates, Properties};
use crate::{CheckError, CheckedProof, refuted};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use threadwise_evidence::{ModularChange, StatesByStore, validate_local, validate_shared};
use threadwise_ir::patience::under;
use threadwise_ir::{Copies, Edits, Instance, Observations, Program, Store, TemplateId};
use threadwise_limits::{Budget, Limit};

/// What a judge has checked of a program. Only he makes it.
#[derive(Clone, Debug)]
pub struct Remembered {
    program: Arc<Program>,
    /// The shared stores and the local states, by number.
    stores: Vec<Store>,
    locals: Vec<Local>,
    /// By the number of the shared store.
    places: Vec<Place>,
}

/// A local state, and whose. Nobody's, if that thread was edited.
#[derive(Clone, Debug)]
struct Local {
    of: Option<TemplateId>,
    words: Store,
}

/// What is known of a shared store.
#[derive(Clone, Debug, Default)]
struct Place {
    /// Thread by thread the local states that it may be in, in order.
    locals: Vec<u32>,
    /// For each thread where its local states end. Nothing, if nothing is said of the store.
    ends: Vec<u32>,
    /// What steps make of it: the store after, and whose steps they are; in order.
    changes: Vec<(u32, u32)>,
    /// What threads show, where that is anything.
    shown: Vec<(u32, Observations)>,
}

impl Place {
    fn of(&self, thread: usize) -> &[u32] {
        let Some(&end) = self.ends.get(thread) else { return &[] };
        let start = thread.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.locals[start as usize..end as usize]
    }

    /// What a thread shows, where that is anything.
    fn shown_by(&self, thread: usize) -> Option<&Observations> {
        let at = self.shown.binary_search_by_key(&(thread as u32), |(thread, _)| *thread).ok()?;
        Some(&self.shown[at].1)
    }
}

impl Remembered {
    /// That of which nothing was checked.
    fn nothing(program: &Arc<Program>) -> Remembered {
        Remembered { program: program.clone(), stores: Vec::new(), locals: Vec::new(), places: Vec::new() }
    }
}

/// Whether what is checked of a program can be remembered.
pub fn can_be_remembered(program: &Program) -> bool {
    let is_single = program.templates.iter().all(|template| template.copies == Copies::Single);
    is_single && !program.templates.is_empty() && !program.is_recursive()
}

/// Checks what the states of a program's threads are said to be, and remembers it.
pub fn check_and_remember(
    program: &Arc<Program>,
    states: &ModularChange,
    budget: &Budget,
) -> Result<(CheckedProof, Remembered), CheckError> {
    patiently(budget, || judge(&Remembered::nothing(program), program, None, states, budget))
}

/// The same after an edit, where something was checked before.
pub fn check_again(
    before: &Remembered,
    program: &Arc<Program>,
    change: &ModularChange,
    budget: &Budget,
) -> Result<(CheckedProof, Remembered), CheckError> {
    let edits = program.edits_since(&before.program);
    let edits = edits.ok_or_else(|| refuted("more was edited than the code of threads"))?;
    patiently(budget, || judge(before, program, Some(&edits), change, budget))
}

/// A judge who was interrupted has not accepted anything, whatever he says.
fn patiently<T>(budget: &Budget, judge: impl FnOnce() -> Result<T, CheckError>) -> Result<T, CheckError> {
    let own = budget.clone();
    let (judged, interrupted) = under(move || own.check().is_ok(), judge);
    match interrupted {
        true => Err(CheckError::Limit(budget.limit_met().unwrap_or(Limit::Interrupted))),
        false => judged,
    }
}

fn judge(
    before: &Remembered,
    program: &Arc<Program>,
    edits: Option<&Edits>,
    change: &ModularChange,
    budget: &Budget,
) -> Result<(CheckedProof, Remembered), CheckError> {
    if !can_be_remembered(program) || change.threads.len() != program.templates.len() {
        return Err(refuted("what is said of threads does not fit the program"));
    }
    let instance = Instance::new(program.clone(), 0);
    let mut judge = Judge::new(&instance, before, edits, budget);
    judge.read(change)?;
    judge.lay_out(before)?;
    judge.holds_initially()?;
    judge.admits_own_steps()?;
    judge.admits_steps_of_others()?;
    judge.properties_follow()?;
    let states = judge.places.iter().map(|place| place.locals.len() as u64).sum();
    let remembered = judge.remembered();
    Ok((CheckedProof { program: program.clone(), states }, remembered))
}

/// For each thread, by shared store, numbers of local states, in order.
type Fresh = Vec<FxHashMap<u32, Vec<u32>>>;

struct Judge<'a> {
    desk: Desk<'a>,
    /// For each thread whether all that was known of it is void.
    edited: Vec<bool>,
    /// Whose each local state is.
    owners: Vec<Option<TemplateId>>,
    fresh: Fresh,
    places: Vec<Place>,
    /// For each shared store the changes that come from fresh states, in order.
    fresh_changes: FxHashMap<u32, Vec<(u32, u32)>>,
}

impl<'a> Judge<'a> {
    /// What is remembered gets the numbers that it had.
    fn new(instance: &'a Instance, before: &Remembered, edits: Option<&Edits>, budget: &'a Budget) -> Judge<'a> {
        let mut desk = Desk::new(instance, false, budget);
        let earlier = Instance::new(before.program.clone(), 0);
        let is_edited = |template: TemplateId| edits.is_none_or(|edits| edits.is_edited(template));
        for store in &before.stores {
            desk.stores.number(store);
        }
        let mut owners = Vec::new();
        for (number, local) in before.locals.iter().enumerate() {
            let kept = local.of.filter(|&template| !is_edited(template));
            owners.push(kept);
            let words = match (kept, edits) {
                (Some(_), Some(edits)) => edits.moved(&earlier, &local.words),
                // Words that are no state of anybody's keep the place of one that is gone.
                _ => vec![i64::MIN, number as i64, i64::MIN],
            };
            assert_eq!(desk.locals.number(&words), number as u32, "states of threads that were not edited stay apart");
        }
        let edited = instance.threads.iter().map(|thread| is_edited(thread.template)).collect();
        let fresh = vec![FxHashMap::default(); instance.threads.len()];
        Judge { desk, edited, owners, fresh, places: Vec::new(), fresh_changes: FxHashMap::default() }
    }

    /// What is said of threads, in numbers. It must fit the program.
    fn read(&mut self, change: &ModularChange) -> Result<(), CheckError> {
        for (thread, states) in change.threads.iter().enumerate() {
            self.read_thread(thread, states)?;
        }
        Ok(())
    }

    fn read_thread(&mut self, thread: usize, states: &StatesByStore) -> Result<(), CheckError> {
        let instance = self.desk.instance;
        let template = instance.threads[thread].template;
        let misfit = |error| refuted(format!("what is said of threads does not fit the program: {error}"));
        for (shared, locals) in states {
            self.desk.ask_budget()?;
            if self.desk.stores.find(shared).is_none() {
                validate_shared(instance, shared).map_err(misfit)?;
            }
            let shared = self.desk.stores.number(shared);
            for local in locals {
                let number = match self.desk.locals.find(local) {
                    Some(number) if self.owners.get(number as usize).is_some_and(|of| *of == Some(template)) => number,
                    _ => {
                        validate_local(instance, template, local).map_err(misfit)?;
                        let number = self.desk.locals.number(local);
                        self.owners.resize(self.owners.len().max(number as usize + 1), None);
                        self.owners[number as usize] = Some(template);
                        number
                    }
                };
                self.fresh[thread].entry(shared).or_default().push(number);
            }
        }
        for locals in self.fresh[thread].values_mut() {
            locals.sort_unstable();
            locals.dedup();
        }
        Ok(())
    }

    /// What may be where, of what was before and what is fresh; what is said once more is not fresh.
    fn lay_out(&mut self, before: &Remembered) -> Result<(), CheckError> {
        let threads = self.edited.len();
        let all = self.fresh.iter().flat_map(|fresh| fresh.keys()).copied().max().map_or(0, |last| last as usize + 1);
        let nothing = Place::default();
        for shared in 0..all.max(before.places.len()) {
            self.desk.ask_budget()?;
            let old = before.places.get(shared).unwrap_or(&nothing);
            let mut place = Place::default();
            for thread in 0..threads {
                let kept = if self.edited[thread] { &[][..] } else { old.of(thread) };
                let start = place.locals.len();
                place.locals.extend_from_slice(kept);
                if let Some(fresh) = self.fresh[thread].get_mut(&(shared as u32)) {
                    fresh.retain(|local| kept.binary_search(local).is_err());
                    place.locals.extend_from_slice(fresh);
                    place.locals[start..].sort_unstable();
                }
                place.ends.push(place.locals.len() as u32);
            }
            let is_kept = |thread: u32| !self.edited[thread as usize];
            place.changes = old.changes.iter().copied().filter(|&(_, thread)| is_kept(thread)).collect();
            place.shown = old.shown.iter().filter(|(thread, _)| is_kept(*thread)).cloned().collect();
            self.places.push(place);
        }
        Ok(())
    }

    fn admits(&self, thread: usize, shared: u32, local: u32) -> bool {
        self.places.get(shared as usize).is_some_and(|place| place.of(thread).binary_search(&local).is_ok())
    }

    /// Point 1.
    fn holds_initially(&mut self) -> Result<(), CheckError> {
        let initial = self.desk.initial_stores()?;
        for thread in 0..self.edited.len() {
            for &shared in &initial {
                for local in self.desk.starts(thread, shared)? {
                    if !self.admits(thread, shared, local) {
                        let state = self.desk.shown(thread, shared, local);
                        return Err(refuted(format!("the annotation does not hold initially: it lacks\n  {state}")));
                    }
                }
            }
        }
        Ok(())
    }

    /// Point 2, of fresh states. Nothing goes wrong there: that is part of point 4.
    fn admits_own_steps(&mut self) -> Result<(), CheckError> {
        let nobody = Rc::from([]);
        let mut moves: Vec<Move> = Vec::new();
        let fresh = std::mem::take(&mut self.fresh);
        for (thread, by_store) in fresh.iter().enumerate() {
            for (&shared, locals) in by_store {
                let mut shown = Observations::default();
                for &local in locals {
                    moves.clear();
                    let spot = Spot { context: 0, local };
                    shown.add_all(&self.desk.moves(thread, shared, spot, &nobody, &mut moves)?);
                    for step in &moves {
                        self.admits_step(thread, shared, local, step)?;
                    }
                }
                self.show(thread, shared, &shown);
            }
        }
        self.fresh = fresh;
        for changes in self.fresh_changes.values_mut() {
            changes.sort_unstable();
            changes.dedup();
        }
        Ok(())
    }

    fn admits_step(&mut self, thread: usize, shared: u32, local: u32, step: &Move) -> Result<(), CheckError> {
        let Landing::At(Spot { local: landed, .. }) = step.landing else {
            return Err(refuted("a call that does not belong to the state"));
        };
        if !self.admits(thread, step.shared, landed) {
            let from = self.desk.shown(thread, shared, local);
            let to = self.desk.shown(thread, step.shared, landed);
            let (name, what) = (self.desk.name(thread), self.desk.shown_move(step));
            return Err(refuted(format!(
                "the annotation of {name} does not admit its own steps: from\n  {from}\n{name}{what} reaches\n  {to}\nwhich is not in it"
            )));
        }
        if step.shared != shared {
            self.fresh_changes.entry(shared).or_default().push((step.shared, thread as u32));
        }
        Ok(())
    }

    fn show(&mut self, thread: usize, shared: u32, more: &Observations) {
        if more.is_empty() {
            return;
        }
        let shown = &mut self.places[shared as usize].shown;
        match shown.binary_search_by_key(&(thread as u32), |(thread, _)| *thread) {
            Ok(at) => shown[at].1.add_all(more),
            Err(at) => shown.insert(at, (thread as u32, more.clone())),
        }
    }

    /// Point 3: fresh states against all changes, and all states against changes that come from fresh states.
    fn admits_steps_of_others(&mut self) -> Result<(), CheckError> {
        let fresh = std::mem::take(&mut self.fresh);
        for (thread, by_store) in fresh.iter().enumerate() {
            for (&shared, locals) in by_store {
                let mut after = None;
                for index in 0..self.places[shared as usize].changes.len() {
                    let (next, other) = self.places[shared as usize].changes[index];
                    if other as usize != thread && after.replace(next) != Some(next) {
                        self.desk.ask_budget()?;
                        self.stay(thread, shared, next, locals)?;
                    }
                }
            }
        }
        self.fresh = fresh;
        let fresh_changes = std::mem::take(&mut self.fresh_changes);
        for (&shared, changes) in &fresh_changes {
            for some in changes.chunk_by(|a, b| a.0 == b.0) {
                let after = some[0].0;
                for thread in 0..self.edited.len() {
                    if some.iter().any(|&(_, other)| other as usize != thread) {
                        self.desk.ask_budget()?;
                        let locals = self.places[shared as usize].of(thread);
                        self.stay(thread, shared, after, locals)?;
                    }
                }
            }
        }
        for (shared, changes) in fresh_changes {
            let all = &mut self.places[shared as usize].changes;
            all.extend(changes);
            all.sort_unstable();
            all.dedup();
        }
        Ok(())
    }

    /// Whether a thread may stay in these local states when another one changes the shared store.
    fn stay(&self, thread: usize, shared: u32, after: u32, locals: &[u32]) -> Result<(), CheckError> {
        let lacks = |local: &&u32| !self.admits(thread, after, **local);
        let Some(&local) = locals.iter().find(lacks) else { return Ok(()) };
        let (from, to) = (self.desk.shown(thread, shared, local), self.desk.shown(thread, after, local));
        let name = self.desk.name(thread);
        Err(refuted(format!(
            "the annotation of {name} does not admit the steps of others: from\n  {from}\none leads to\n  {to}\nwhich is not in it"
        )))
    }

    /// Point 4.
    fn properties_follow(&mut self) -> Result<(), CheckError> {
        let instance = self.desk.instance;
        let properties = Properties::new(&instance.program);
        let places = std::mem::take(&mut self.places);
        for (shared, place) in places.iter().enumerate() {
            let mut candidates = Candidates::new(shared as u32, vec![false; self.edited.len()]);
            for thread in 0..self.edited.len() {
                let shown = place.shown_by(thread).unwrap_or(Observations::none()).clone();
                candidates.add_thread(place.of(thread).iter().copied(), shown);
            }
            properties.hold(&mut self.desk, &candidates)?;
        }
        self.places = places;
        Ok(())
    }

    fn remembered(self) -> Remembered {
        let (stores, locals) = (self.desk.stores.all(), self.desk.locals.all());
        let local = |(number, words): (usize, &Rc<[i64]>)| Local {
            of: self.owners.get(number).copied().flatten(),
            words: Store::from(&**words),
        };
        Remembered {
            program: self.desk.instance.program.clone(),
            stores: stores.iter().map(|words| Store::from(&**words)).collect(),
            locals: locals.iter().enumerate().map(local).collect(),
            places: self.places,
        }
    }
}
