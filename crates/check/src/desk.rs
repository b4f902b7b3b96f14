//! What the judges of thread states work with: numbers for stores and local states, each thread's
//! moves, computed once, and words for what is wrong.

use crate::interner::Interner;
use crate::landing::{Landing, landing};
use crate::{CheckError, refuted};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::rc::Rc;
use threadwise_evidence::{show_local, show_shared};
use threadwise_ir::{EdgeId, Gap, Instance, Observations, Steps, Store, ThreadId};
use threadwise_limits::{Budget, growth_of_table};

/// Pieces of work between two questions to the budget.
const PATIENCE: u64 = 1 << 12;

/// A state of a thread: a context, a local state. In programs without recursion there is only the
/// context 0, and the local state is complete; otherwise it is the running frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Spot {
    pub(crate) context: u32,
    pub(crate) local: u32,
}

/// A step of a thread.
pub(crate) struct Move {
    /// The shared store after it.
    pub(crate) shared: u32,
    /// The thread after it.
    pub(crate) landing: Landing,
    /// The edge it starts with.
    edge: Option<EdgeId>,
}

/// From where a context is called: a context and the caller's frame.
pub(crate) type Callers = Rc<[(u32, Store)]>;

pub(crate) struct Desk<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) stores: Interner,
    pub(crate) locals: Interner,
    /// For each thread and store what the thread sees; see [`crate::viewpoint`].
    pub(crate) views: FxHashMap<(u32, u32), u32>,
    /// No thread has more than one copy: there is nothing to permute, and all see the same.
    pub(crate) all_single: bool,
    recursive: bool,
    budget: &'a Budget,
    work: u64,
    states: u64,
}

impl<'a> Desk<'a> {
    pub(crate) fn new(instance: &'a Instance, recursive: bool, budget: &'a Budget) -> Desk<'a> {
        Desk {
            instance,
            stores: Interner::default(),
            locals: Interner::default(),
            views: FxHashMap::default(),
            all_single: instance.threads.iter().all(|thread| thread.copy == 1),
            recursive,
            budget,
            work: 0,
            states: 0,
        }
    }

    /// Counts a piece of work, and now and then asks whether it may go on.
    pub(crate) fn ask_budget(&mut self) -> Result<(), CheckError> {
        self.ask_budget_for(0)
    }

    /// The same where something else may soon take more memory.
    pub(crate) fn ask_budget_for(&mut self, more_bytes: u64) -> Result<(), CheckError> {
        self.work += 1;
        if self.work.is_multiple_of(PATIENCE) {
            let views = growth_of_table::<((u32, u32), u32)>(self.views.len(), self.views.capacity());
            self.budget.check_for(self.stores.growth() + self.locals.growth() + views + more_bytes)?;
            self.budget.report(|| format!("checking the proof: {} thread states", self.states));
        }
        Ok(())
    }

    /// Adds everything the thread can do, and gives what its steps show to the patterns of properties;
    /// an error if something can go wrong. A step that returns from a procedure, or calls one, depends
    /// on who called: `callers` are those of the spot's context.
    pub(crate) fn moves(
        &mut self,
        thread: usize,
        shared: u32,
        spot: Spot,
        callers: &Callers,
        moves: &mut Vec<Move>,
    ) -> Result<Observations, CheckError> {
        self.ask_budget()?;
        self.states += 1;
        let mut shown = Observations::default();
        if spot.context == 0 {
            shown.add_all(&self.add_moves(thread, shared, spot, None, moves)?);
        }
        for caller in callers.iter() {
            shown.add_all(&self.add_moves(thread, shared, spot, Some(caller), moves)?);
        }
        Ok(shown)
    }

    /// Adds what the thread can do with this caller's frame below.
    fn add_moves(
        &mut self,
        thread: usize,
        shared: u32,
        spot: Spot,
        caller: Option<&(u32, Store)>,
        moves: &mut Vec<Move>,
    ) -> Result<Observations, CheckError> {
        let running = self.locals.words(spot.local);
        let stack = caller.map_or(Cow::Borrowed(running), |(_, frame)| Cow::Owned([frame, running].concat()));
        let steps = self.instance.steps(ThreadId(thread as u32), self.stores.words(shared), &stack);
        self.goes_well(thread, shared, spot.local, &steps)?;
        for successor in &steps.successors {
            let landing = if self.recursive {
                landing(self.instance, &mut self.locals, spot.context, caller, successor)
            } else {
                let local = self.locals.number(&successor.local);
                Some(Landing::At(Spot { context: 0, local }))
            };
            let Some(landing) = landing else {
                let name = self.name(thread);
                return Err(refuted(format!("a step of {name} calls and returns at once, which cannot be judged")));
            };
            let (shared, edge) = (self.stores.number(&successor.shared), successor.path.first().copied());
            moves.push(Move { shared, landing, edge });
        }
        Ok(steps.shown)
    }

    fn goes_well(&self, thread: usize, shared: u32, local: u32, steps: &Steps) -> Result<(), CheckError> {
        let name = || self.name(thread);
        if let Some(failure) = steps.failures.first() {
            let source = &self.instance.program.source;
            let (place, text) = (source.locate(failure.span), source.snippet(failure.span, 80));
            let state = self.shown(thread, shared, local);
            let name = name();
            return Err(refuted(format!("in the thread state\n  {state}\n{name} goes wrong at {place}: `{text}`")));
        }
        match steps.gap {
            Some(gap) => Err(self.gap(&format!("a step of {}", name()), gap)),
            None => Ok(()),
        }
    }

    /// The initial shared stores.
    pub(crate) fn initial_stores(&mut self) -> Result<Vec<u32>, CheckError> {
        let initial = self.instance.initial_stores();
        if let Some((fault, span)) = initial.faults.first() {
            let place = self.instance.program.source.locate(*span);
            return Err(refuted(format!("the initial values are in error at {place}: {fault:?}")));
        }
        if let Some(gap) = initial.gap {
            return Err(self.gap("the initial values", gap));
        }
        Ok(initial.stores.iter().map(|store| self.stores.number(store)).collect())
    }

    /// The local states in which a thread can start.
    pub(crate) fn starts(&mut self, thread: usize, shared: u32) -> Result<Vec<u32>, CheckError> {
        let steps = self.instance.starts(ThreadId(thread as u32), self.stores.words(shared));
        let name = self.name(thread);
        if let Some(failure) = steps.failures.first() {
            let place = self.instance.program.source.locate(failure.span);
            return Err(refuted(format!("{name} goes wrong at its start, at {place}")));
        }
        if let Some(gap) = steps.gap {
            return Err(self.gap(&format!("the start of {name}"), gap));
        }
        Ok(steps.successors.iter().map(|start| self.locals.number(&start.local)).collect())
    }

    pub(crate) fn name(&self, thread: usize) -> String {
        self.instance.tid_name(thread as i64 + 1)
    }

    /// A thread state as text.
    pub(crate) fn shown(&self, thread: usize, shared: u32, local: u32) -> String {
        let shared = show_shared(self.instance, self.stores.words(shared));
        let local = format!("{} {}", self.name(thread), show_local(self.instance, self.locals.words(local)));
        if shared.is_empty() { local } else { format!("{shared}; {local}") }
    }

    /// What a move does, as text: `, by `x = 1;` at a.tw:1:2,`.
    pub(crate) fn shown_move(&self, edge: &Move) -> String {
        let source = &self.instance.program.source;
        edge.edge.map_or_else(String::new, |edge| {
            let span = self.instance.program.edge(edge).span;
            format!(", by `{}` at {},", source.snippet(span, 80), source.locate(span))
        })
    }

    pub(crate) fn gap(&self, what: &str, gap: Gap) -> CheckError {
        let place = self.instance.program.source.locate(gap.span());
        refuted(format!("{what} cannot be judged: {}, at {place}", gap.describe()))
    }
}
