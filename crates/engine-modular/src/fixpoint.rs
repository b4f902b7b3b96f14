//! The least solution of the assume-guarantee rules (FQ, sections 2.2 and 3.1).
//!
//! For each thread template, of which the first copy speaks for all: the states R (or, with
//! recursion, the summaries P and Q) and the guarantee G. A state of a thread is a shared store as
//! the thread sees it and a local state. Everything is a number; sets of local states are bits.
//!
//! A *context* is the first half of P: the shared store and frame with which a procedure was
//! entered. Its callers are Q: the context of the caller and the caller's frame. Programs without
//! recursion have one context, and whole stacks as local states.

use crate::again::Kept;
use crate::bits::Bits;
use crate::by_store::ByStore;
use crate::meeting::Meeting;
use crate::perspective::{Permutation, Perspectives};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::sync::Arc;
use threadwise_evidence::{Annotation, Context, StatesByStore, ThreadAnnotation};
use threadwise_ir::{Gap, Instance, Observations, Program, Store, Successor, TemplateId, ThreadId};
use threadwise_limits::{Budget, Limit, growth_of_list, growth_of_table};
use threadwise_source::Span;
use threadwise_tables::{Interner, Taken};

/// How many states are treated between two looks at the budget.
const STATES_PER_CHECK: u64 = 1 << 12;

/// Why there is no fixpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A limit was met.
    Limit(Limit),
    /// The semantics cannot tell all steps.
    Gap(Gap),
    /// There are more thread states than were to be treated.
    TooMany,
    /// An initial value, or a declaration at the start of a thread, is in error here.
    Start(Span),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        Stop::Limit(limit)
    }
}

/// A thread state whose next step can go wrong.
#[derive(Clone, Debug)]
pub(crate) struct Failing {
    pub(crate) template: TemplateId,
    pub(crate) store: u32,
    pub(crate) local: u32,
    pub(crate) failure: threadwise_ir::Failure,
}

/// A state to be treated: template, context, store, local state.
type Item = (TemplateId, u32, u32, u32);

/// The least solution.
pub struct Fixpoint<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) perspectives: Perspectives<'a>,
    pub(crate) threads: Vec<ThreadStates>,
    pub(crate) failing: Vec<Failing>,
    /// What the next steps from a state access; most access nothing, and are not here.
    pub(crate) shown: FxHashMap<(TemplateId, u32, u32), Observations>,
    /// The edges that steps take.
    pub(crate) taken: Taken,
    meeting: Meeting,
    recursive: bool,
    work: Vec<Item>,
    treated: u64,
    /// The states that were added, where something was kept of an earlier analysis.
    added: Option<Vec<Item>>,
}

/// What is known of a template's first copy.
#[derive(Clone, Default)]
pub(crate) struct ThreadStates {
    pub(crate) locals: Interner,
    contexts: Vec<ContextStates>,
    context_of: FxHashMap<(u32, u32), u32>,
    /// G: what the thread's own steps do to a store.
    guarantee: FxHashMap<u32, FxHashSet<u32>>,
    /// What the other threads' steps do to a store; unless all threads see the same, for then it
    /// is in [`Meeting`]. So are the next two.
    environment: FxHashMap<u32, Vec<u32>>,
    disturbed: FxHashSet<(u32, u32)>,
    /// Whose stores change when the guarantee of this thread at a store grows.
    watchers: FxHashMap<u32, Vec<(TemplateId, u32, Permutation)>>,
}

impl ThreadStates {
    /// The same states with other words for the local ones.
    pub(crate) fn moved(&self, words: &dyn Fn(&[i64]) -> Vec<i64>) -> ThreadStates {
        let mut locals = Interner::default();
        for local in 0..self.locals.len() as u32 {
            locals.intern(&words(self.locals.get(local)));
        }
        ThreadStates { locals, ..self.clone() }
    }

    fn growth(&self) -> u64 {
        let (guarantee, environment) = (&self.guarantee, &self.environment);
        let contexts: u64 = self.contexts.iter().map(|context| context.states.growth()).sum();
        growth_of_table::<(u32, FxHashSet<u32>)>(guarantee.len(), guarantee.capacity())
            + growth_of_table::<(u32, Vec<u32>)>(environment.len(), environment.capacity())
            + growth_of_table::<(u32, u32)>(self.disturbed.len(), self.disturbed.capacity())
            + growth_of_table::<(u32, Vec<u32>)>(self.watchers.len(), self.watchers.capacity())
            + growth_of_table::<((u32, u32), u32)>(self.context_of.len(), self.context_of.capacity())
            + self.locals.growth()
            + contexts
    }
}

#[derive(Clone)]
struct ContextStates {
    states: ByStore,
    callers: Vec<(u32, Store)>,
    /// The states from which a step returns.
    returning: Vec<(u32, u32)>,
}

impl ContextStates {
    fn new(states: ByStore) -> ContextStates {
        ContextStates { states, callers: Vec::new(), returning: Vec::new() }
    }
}

/// Computes the least solution for an instance.
pub fn fixpoint<'a>(instance: &'a Instance, budget: &Budget) -> Result<Fixpoint<'a>, Stop> {
    solve(instance, Goal { until_failure: false, max_states: u64::MAX }, budget)
}

/// When to stop before the least solution is complete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// As soon as some thread state's next step can fail.
    pub(crate) until_failure: bool,
    /// When more thread states than this have been treated.
    pub(crate) max_states: u64,
}

/// Computes the least solution, or as much of it as the goal asks for.
pub(crate) fn solve<'a>(instance: &'a Instance, goal: Goal, budget: &Budget) -> Result<Fixpoint<'a>, Stop> {
    let mut fixpoint = Fixpoint::new(instance);
    fixpoint.run(goal, budget)?;
    Ok(fixpoint)
}

impl<'a> Fixpoint<'a> {
    fn new(instance: &'a Instance) -> Fixpoint<'a> {
        Fixpoint {
            instance,
            perspectives: Perspectives::new(instance),
            threads: instance.program.templates.iter().map(|_| ThreadStates::default()).collect(),
            failing: Vec::new(),
            shown: FxHashMap::default(),
            taken: Taken::none(&instance.program),
            meeting: Meeting::default(),
            recursive: instance.program.is_recursive(),
            work: Vec::new(),
            treated: 0,
            added: None,
        }
    }

    /// What was kept of an earlier analysis, where all threads see the same.
    pub(crate) fn from_kept(instance: &'a Instance, kept: Kept) -> Fixpoint<'a> {
        let mut fixpoint = Fixpoint {
            threads: kept.threads,
            meeting: kept.meeting,
            taken: kept.taken,
            added: Some(Vec::new()),
            ..Fixpoint::new(instance)
        };
        fixpoint.perspectives.stores = kept.stores;
        fixpoint
    }

    pub(crate) fn kept(self, program: Arc<Program>) -> Kept {
        let Fixpoint { perspectives, threads, meeting, taken, .. } = self;
        Kept { program, stores: perspectives.stores, threads, meeting, taken }
    }

    /// Goes on until there is nothing new, or as the goal asks for.
    pub(crate) fn run(&mut self, goal: Goal, budget: &Budget) -> Result<(), Stop> {
        self.init()?;
        while let Some(item) = self.work.pop() {
            if goal.until_failure && !self.failing.is_empty() {
                break;
            }
            if self.treated >= goal.max_states {
                return Err(Stop::TooMany);
            }
            if self.treated.is_multiple_of(STATES_PER_CHECK) {
                budget.check_for(self.growth())?;
                budget.report(|| format!("{} thread states", self.treated));
            }
            self.treated += 1;
            self.env(item);
            self.step(item)?;
        }
        Ok(())
    }
}

impl Fixpoint<'_> {
    fn first_copy(&self, template: TemplateId) -> Option<ThreadId> {
        let copies = self.instance.copies_of(template);
        (!copies.is_empty()).then_some(ThreadId(copies.start as u32))
    }

    /// Whether threads are at nearly all stores that there are. At a reachable store each thread is in
    /// some state; but where copies are permuted, each template sees another permutation.
    fn is_dense(&self) -> bool {
        self.perspectives.are_equal() && !self.recursive
    }

    /// The bytes that tables take anew which are about to grow. There is one of some for each thread, so that many may
    /// grow at once.
    fn growth(&self) -> u64 {
        let shown = growth_of_table::<((TemplateId, u32, u32), Observations)>(self.shown.len(), self.shown.capacity());
        let of_threads: u64 = self.threads.iter().map(ThreadStates::growth).sum();
        self.perspectives.growth() + self.meeting.growth() + growth_of_list(&self.work) + shown + of_threads
    }

    /// AG INIT, AG PDA INIT.
    fn init(&mut self) -> Result<(), Stop> {
        let initial = self.instance.initial_stores();
        if let Some(gap) = initial.gap {
            return Err(Stop::Gap(gap));
        }
        if let Some(&(_, span)) = initial.faults.first() {
            return Err(Stop::Start(span));
        }
        for template in (0..self.threads.len() as u32).map(TemplateId) {
            let states =
                if self.is_dense() { ByStore::Dense(Vec::new()) } else { ByStore::Sparse(FxHashMap::default()) };
            // Something may have been kept.
            if self.threads[template.index()].contexts.is_empty() {
                self.threads[template.index()].contexts.push(ContextStates::new(states));
            }
            let Some(thread) = self.first_copy(template) else { continue };
            for store in &initial.stores {
                let starts = self.instance.starts(thread, store);
                if let Some(gap) = starts.gap {
                    return Err(Stop::Gap(gap));
                }
                if let Some(failure) = starts.failures.first() {
                    return Err(Stop::Start(failure.span));
                }
                self.taken.note(&starts);
                let store = self.perspectives.see(template, store);
                for start in starts.successors {
                    let local = self.threads[template.index()].locals.intern(&start.local);
                    self.add((template, 0, store, local));
                }
            }
        }
        Ok(())
    }

    /// Adds a state.
    fn add(&mut self, item: Item) {
        let (template, context, store, local) = item;
        let states = &mut self.threads[template.index()].contexts[context as usize].states;
        if states.insert(store, local) {
            self.work.push(item);
            self.added.iter_mut().for_each(|added| added.push(item));
        }
    }

    /// The states of a thread that were added to what was kept of it.
    pub(crate) fn added_states(&self, template: TemplateId) -> StatesByStore {
        let locals = &self.threads[template.index()].locals;
        let of_thread = self.added.iter().flatten().filter(|item| item.0 == template);
        let state = |&(_, _, store, local): &Item| {
            (Store::from(self.perspectives.stores.get(store)), vec![Store::from(locals.get(local))])
        };
        of_thread.map(state).collect()
    }

    /// AG ENV, AG PDA ENV1 and ENV2: what the others do to the store does not move the thread.
    fn env(&mut self, (template, context, store, local): Item) {
        if self.perspectives.are_equal() {
            self.meeting.join(store, template);
            for index in 0..self.meeting.changes(store).len() {
                let (after, by) = self.meeting.changes(store)[index];
                if by != Some(template) {
                    self.add((template, context, after, local));
                }
            }
            return;
        }
        if !self.threads[template.index()].environment.contains_key(&store) {
            self.watch(template, store);
        }
        for after in self.threads[template.index()].environment[&store].clone() {
            self.add((template, context, after, local));
        }
    }

    /// From now on, what other threads do to this store is part of the environment.
    fn watch(&mut self, template: TemplateId, store: u32) {
        self.threads[template.index()].environment.insert(store, Vec::new());
        for view in self.perspectives.views_of_others(template, store) {
            let other = &mut self.threads[view.template.index()];
            let known: Vec<u32> = other.guarantee.get(&view.store).into_iter().flatten().copied().collect();
            other.watchers.entry(view.store).or_default().push((template, store, view.back.clone()));
            for after in known {
                self.disturb(template, store, after, &view.back);
            }
        }
    }

    /// Another thread can change `store` to what it sees as `after`.
    fn disturb(&mut self, template: TemplateId, store: u32, after: u32, back: &Permutation) {
        let after = self.perspectives.translate(template, after, back);
        let thread = &mut self.threads[template.index()];
        if thread.disturbed.insert((store, after)) {
            thread.environment.get_mut(&store).expect("the store is watched").push(after);
            self.carry_over(template, store, after);
        }
    }

    /// Others can change `store` to `after`: so the states at the one are states at the other.
    fn carry_over(&mut self, template: TemplateId, store: u32, after: u32) {
        for context in 0..self.threads[template.index()].contexts.len() {
            let here = self.threads[template.index()].contexts[context].states.get(store).cloned();
            for local in here.unwrap_or_default().iter() {
                self.add((template, context as u32, after, local));
            }
        }
    }

    /// The thread's own step changes a store: part of its guarantee.
    fn guarantee_step(&mut self, template: TemplateId, store: u32, after: &[i64]) {
        let after = self.perspectives.stores.intern(after);
        let thread = &mut self.threads[template.index()];
        if after == store || !thread.guarantee.entry(store).or_default().insert(after) {
            return;
        }
        if self.perspectives.are_equal() {
            let is_single = self.instance.copies_of(template).len() < 2;
            for disturbed in self.meeting.change(store, after, template, is_single) {
                self.carry_over(disturbed, store, after);
            }
            return;
        }
        for (watcher, watched, back) in thread.watchers.get(&store).cloned().unwrap_or_default() {
            self.disturb(watcher, watched, after, &back);
        }
    }

    /// AG STEP; AG PDA STEP1, PUSH and POP.
    fn step(&mut self, item: Item) -> Result<(), Stop> {
        let (template, context, store, local) = item;
        let caller = self.threads[template.index()].contexts[context as usize].callers.first().cloned();
        let below: &[i64] = caller.as_ref().map_or(&[], |(_, frame)| frame);
        let steps = self.steps_on(template, store, below, local)?;
        self.taken.note(&steps);
        for failure in steps.failures {
            self.failing.push(Failing { template, store, local, failure });
        }
        self.note_shown((template, store, local), &steps.shown);
        let mut returns = false;
        for successor in &steps.successors {
            if !self.recursive {
                self.move_to(template, 0, store, successor, &successor.local);
                continue;
            }
            match successor.local.strip_prefix(below).filter(|frames| !frames.is_empty()) {
                None => returns = true,
                Some(frames) => self.step_or_call(template, context, store, successor, frames),
            }
        }
        if returns {
            let callers = self.threads[template.index()].contexts[context as usize].callers.clone();
            self.threads[template.index()].contexts[context as usize].returning.push((store, local));
            for caller in callers {
                self.return_to(template, &caller, store, local)?;
            }
        }
        Ok(())
    }

    fn note_shown(&mut self, state: (TemplateId, u32, u32), shown: &Observations) {
        if !shown.is_empty() {
            self.shown.entry(state).or_default().add_all(shown);
        }
    }

    fn steps_on(
        &self,
        template: TemplateId,
        store: u32,
        below: &[i64],
        local: u32,
    ) -> Result<threadwise_ir::Steps, Stop> {
        let thread = self.first_copy(template).expect("only threads with copies have states");
        let running = self.threads[template.index()].locals.get(local);
        let stack = if below.is_empty() { Cow::Borrowed(running) } else { Cow::Owned([below, running].concat()) };
        let steps = self.instance.steps(thread, self.perspectives.stores.get(store), &stack);
        match steps.gap {
            Some(gap) => Err(Stop::Gap(gap)),
            None => Ok(steps),
        }
    }

    /// A step leads to a shared store and a local state.
    fn move_to(&mut self, template: TemplateId, context: u32, store: u32, successor: &Successor, local: &[i64]) {
        self.guarantee_step(template, store, &successor.shared);
        let after = self.perspectives.see(template, &successor.shared);
        let local = self.threads[template.index()].locals.intern(local);
        self.add((template, context, after, local));
    }

    /// A step that does not return: to another place in the same frame, or into a call.
    fn step_or_call(&mut self, template: TemplateId, context: u32, store: u32, successor: &Successor, frames: &[i64]) {
        let top = self.instance.top_frame(frames).1;
        if top == 0 {
            return self.move_to(template, context, store, successor, frames);
        }
        let (frame, entered) = frames.split_at(top);
        self.guarantee_step(template, store, &successor.shared);
        let after = self.perspectives.see(template, &successor.shared);
        let thread = &mut self.threads[template.index()];
        let local = thread.locals.intern(entered);
        let next = thread.contexts.len() as u32;
        let callee = *thread.context_of.entry((after, local)).or_insert(next);
        if callee == next {
            thread.contexts.push(ContextStates::new(ByStore::Sparse(FxHashMap::default())));
        }
        let caller = (context, Store::from(frame));
        let callers = &mut thread.contexts[callee as usize].callers;
        if !callers.contains(&caller) {
            callers.push(caller.clone());
            for (store, local) in thread.contexts[callee as usize].returning.clone() {
                // A gap would have been met when the state was treated for its first caller.
                let _ = self.return_to(template, &caller, store, local);
            }
        }
        self.add((template, callee, after, local));
    }

    /// A state returns to one of the callers of its context.
    fn return_to(
        &mut self,
        template: TemplateId,
        (context, frame): &(u32, Store),
        store: u32,
        local: u32,
    ) -> Result<(), Stop> {
        let steps = self.steps_on(template, store, frame, local)?;
        self.taken.note(&steps);
        for failure in steps.failures {
            self.failing.push(Failing { template, store, local, failure });
        }
        self.note_shown((template, store, local), &steps.shown);
        for successor in &steps.successors {
            let returned = successor.local.len() == frame.len();
            if returned {
                self.move_to(template, *context, store, successor, &successor.local);
            }
        }
        Ok(())
    }

    /// The local states of a template's first copy with a store, in all contexts.
    pub(crate) fn locals_at(&self, template: TemplateId, store: u32) -> Bits {
        let contexts = self.threads[template.index()].contexts.iter();
        let mut here = contexts.filter_map(|context| context.states.get(store));
        let mut all = here.next().cloned().unwrap_or_default();
        here.flat_map(Bits::iter).for_each(|local| {
            all.insert(local);
        });
        all
    }

    /// The stores that occur in states of a template's first copy.
    pub(crate) fn stores_of(&self, template: TemplateId) -> Vec<u32> {
        let contexts = &self.threads[template.index()].contexts;
        let mut stores: Vec<u32> = contexts.iter().flat_map(|c| c.states.stores()).collect();
        stores.sort_unstable();
        stores.dedup();
        stores
    }

    /// R: the states of a template's first copy, as shared store and local state, sorted. Of stores
    /// that differ by a permutation of other copies there is one.
    pub fn states(&self, template: TemplateId) -> Vec<(Store, Store)> {
        let locals = &self.threads[template.index()].locals;
        let stores = &self.perspectives.stores;
        let of_store = |store: u32| {
            let bits = self.locals_at(template, store);
            bits.iter().map(|local| (stores.get(store).into(), locals.get(local).into())).collect::<Vec<_>>()
        };
        let mut states: Vec<(Store, Store)> = self.stores_of(template).into_iter().flat_map(of_store).collect();
        states.sort_unstable();
        states
    }

    /// G: what the steps of a template's first copy do to the shared store, where they change it;
    /// sorted.
    pub fn guarantee(&self, template: TemplateId) -> Vec<(Store, Store)> {
        let stores = &self.perspectives.stores;
        let pairs = self.threads[template.index()].guarantee.iter();
        let pairs = pairs.flat_map(|(&from, after)| after.iter().map(move |&to| (from, to)));
        let mut pairs: Vec<(Store, Store)> =
            pairs.map(|(from, to)| (stores.get(from).into(), stores.get(to).into())).collect();
        pairs.sort_unstable();
        pairs
    }

    /// The number of thread states, of pairs in guarantees, and of contexts.
    pub(crate) fn counts(&self) -> (u64, u64, u64) {
        let guarantees = self.threads.iter().flat_map(|t| t.guarantee.values()).map(|g| g.len() as u64).sum();
        let contexts = self.threads.iter().map(|t| t.contexts.len() as u64).sum();
        (self.treated, guarantees, contexts)
    }

    /// The states as an annotation of the program. It takes as much memory as the search itself, so it asks for it.
    pub(crate) fn annotation(&self, budget: &Budget) -> Result<Annotation, Limit> {
        let templates = (0..self.threads.len() as u32).map(TemplateId);
        let threads = templates.clone().map(|t| self.thread_annotation(t, budget)).collect::<Result<_, Limit>>()?;
        let copies = templates.map(|t| self.instance.copies_of(t).len() as u32).collect();
        Ok(Annotation { copies, threads })
    }

    pub(crate) fn thread_annotation(&self, template: TemplateId, budget: &Budget) -> Result<ThreadAnnotation, Limit> {
        if self.first_copy(template).is_none() {
            return Ok(ThreadAnnotation::default());
        }
        let thread = &self.threads[template.index()];
        let mut contexts = Vec::new();
        for c in &thread.contexts {
            let stores = c.states.stores();
            budget.check_for((stores.len() * size_of::<(Store, Vec<Store>)>()) as u64)?;
            let mut states = Vec::with_capacity(stores.len());
            for (number, store) in stores.into_iter().enumerate() {
                if number.is_multiple_of(1024) {
                    budget.check()?;
                }
                let here = c.states.get(store).into_iter().flat_map(Bits::iter);
                let locals: Vec<Store> = here.map(|local| thread.locals.get(local).into()).collect();
                states.push((self.perspectives.stores.get(store).into(), locals));
            }
            contexts.push(Context { callers: c.callers.clone(), states });
        }
        Ok(ThreadAnnotation { contexts })
    }
}
