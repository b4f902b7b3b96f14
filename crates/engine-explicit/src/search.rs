//! The search itself.

use crate::canonical::Canonical;
use crate::initial::InitialStates;
use std::ops::ControlFlow;
use threadwise_claims::Stats;
use threadwise_evidence::{Folding, ReachableSet};
use threadwise_ir::{Gap, Instance, Locals, LocationId, SharedId, TemplateId, ThreadId};
use threadwise_limits::{Budget, Limit};
use threadwise_tables::{InternedLocals, Interner, Judgement, NO_PARENT, PropertyMemo, StepTables, Visited};

/// How many states are expanded between two looks at the budget.
const STATES_PER_CHECK: u32 = 1 << 12;

/// A breadth-first search through the states of an instance.
pub(crate) struct Search<'a> {
    pub(crate) instance: &'a Instance,
    symmetric: &'a [TemplateId],
    pub(crate) tables: StepTables<'a>,
    pub(crate) canonical: Canonical<'a>,
    memo: PropertyMemo<'a>,
    pub(crate) visited: Visited,
    /// More states than this are not visited.
    pub(crate) max_states: usize,
    transitions: u64,
    depth: u64,
    /// Where the states of each depth begin, and where the last ones that were come to end.
    pub(crate) levels: Vec<u32>,
    /// How many states the search has looked at.
    pub(crate) expanded: u32,
    gap: Option<Gap>,
    /// Where a thread is stuck in the first deadlock, where these are no errors.
    stuck: Option<LocationId>,
    /// While one of these is set, there is somebody who could take a step, if not in this instance.
    permits: Vec<SharedId>,
}

/// How a search ended.
pub(crate) enum End {
    /// All reachable states were visited, and none is an error.
    Exhausted,
    /// This state is an error.
    Error(u32),
    /// No error was met, but the semantics left something out.
    Gap(Gap),
    /// A limit was met.
    Limit(Limit),
    /// There are more states than the search was to visit.
    TooMany,
}

impl<'a> Search<'a> {
    pub(crate) fn new(instance: &'a Instance, symmetric: &'a [TemplateId]) -> Search<'a> {
        let widths = instance.threads.iter().map(|thread| thread.template.index() + 1);
        Search {
            instance,
            symmetric,
            tables: StepTables::new(instance),
            canonical: Canonical::new(instance, symmetric),
            memo: PropertyMemo::new(instance),
            visited: Visited::new(std::iter::once(0).chain(widths).collect()),
            max_states: usize::MAX,
            transitions: 0,
            depth: 0,
            levels: vec![0],
            expanded: 0,
            gap: None,
            stuck: None,
            permits: instance.program.permits(),
        }
    }

    /// FQ, section 2.1: BASIC INIT for the given initial states, then BASIC STEP until nothing is
    /// new. Breadth-first, so that the first error found is one of the nearest.
    pub(crate) fn run(&mut self, initial: &InitialStates, budget: &Budget) -> End {
        match self.run_to_limit(initial, budget) {
            Ok(end) => end,
            Err(limit) => End::Limit(limit),
        }
    }

    /// Visits the initial states; the end, if that is one.
    fn start(&mut self, initial: &InitialStates, budget: &Budget) -> ControlFlow<Result<End, Limit>> {
        let mut visits: u32 = 0;
        initial.visit(&mut |state| {
            let state = self.representative(state.to_vec());
            visits = visits.wrapping_add(1);
            let may_go_on = if visits.is_multiple_of(STATES_PER_CHECK) { budget.check() } else { Ok(()) };
            match may_go_on.and_then(|()| self.visited.insert(&state, NO_PARENT, budget)) {
                Err(limit) => ControlFlow::Break(Err(limit)),
                Ok(_) if self.visited.len() > self.max_states => ControlFlow::Break(Ok(End::TooMany)),
                Ok(_) => ControlFlow::Continue(()),
            }
        })
    }

    fn run_to_limit(&mut self, initial: &InitialStates, budget: &Budget) -> Result<End, Limit> {
        if let ControlFlow::Break(end) = self.start(initial, budget) {
            return end;
        }
        let mut state = vec![0; self.instance.threads.len() + 1];
        let mut successor = state.clone();
        let mut level_end = self.visited.len();
        self.levels.push(level_end as u32);
        let mut next: u32 = 0;
        while (next as usize) < self.visited.len() {
            if next as usize == level_end {
                level_end = self.visited.len();
                self.levels.push(level_end as u32);
                self.depth += 1;
            }
            if next.is_multiple_of(STATES_PER_CHECK) {
                if self.visited.len() > self.max_states {
                    return Ok(End::TooMany);
                }
                budget.check_for(self.tables.growth())?;
                budget.report(|| format!("{} states, depth {}", self.visited.len(), self.depth));
            }
            self.visited.read(next, &mut state);
            self.expanded = next + 1;
            if self.expand(next, &state, &mut successor, budget)? {
                return Ok(End::Error(next));
            }
            next += 1;
        }
        Ok(match self.gap.or(self.tables.gap) {
            Some(gap) => End::Gap(gap),
            None => End::Exhausted,
        })
    }

    /// Adds the successors of a state; tells whether the state is an error.
    fn expand(&mut self, id: u32, state: &[u32], successor: &mut [u32], budget: &Budget) -> Result<bool, Limit> {
        match self.memo.judge(state, &self.tables) {
            Judgement::Good => {}
            Judgement::Broken => return Ok(true),
            Judgement::Gap(gap) => self.gap = self.gap.or(Some(gap)),
        }
        if self.memo.meets_pattern(state, &mut self.tables) {
            return Ok(true);
        }
        let symmetric = !self.canonical.is_trivial();
        let before = self.transitions;
        for thread in 0..self.instance.threads.len() {
            if symmetric && self.canonical.repeats_previous(state, thread, &self.tables.shared) {
                continue;
            }
            let entry = self.tables.entry(thread, state[0], state[thread + 1]);
            if entry.fails {
                return Ok(true);
            }
            for index in self.tables.successors(entry) {
                let (shared, local) = self.tables.successor(index);
                self.transitions += 1;
                if symmetric {
                    successor.copy_from_slice(state);
                    (successor[0], successor[thread + 1]) = (shared, local);
                    self.canonical.canonicalise(successor, &mut self.tables.shared);
                    self.visited.insert(successor, id, budget)?;
                } else {
                    self.visited.insert_changed(id, shared, thread, local, budget)?;
                }
            }
        }
        if self.transitions == before && self.stuck.is_none() {
            self.stuck = self.stuck_in(state);
        }
        Ok(false)
    }

    /// Whether a state is an error.
    pub(crate) fn is_error(&mut self, state: &[u32]) -> bool {
        let fails =
            |tables: &mut StepTables<'_>, thread: usize| tables.entry(thread, state[0], state[thread + 1]).fails;
        matches!(self.memo.judge(state, &self.tables), Judgement::Broken)
            || self.memo.meets_pattern(state, &mut self.tables)
            || (0..self.instance.threads.len()).any(|thread| fails(&mut self.tables, thread))
    }

    /// Where a thread is stuck in a state from which no step leads.
    fn stuck_in(&self, state: &[u32]) -> Option<LocationId> {
        let program = &self.instance.program;
        if program.forbids_deadlocks() || self.tables.gap.is_some() {
            return None;
        }
        let locals = InternedLocals { instance: self.instance, state, tables: &self.tables };
        let all = || (0..self.instance.threads.len()).map(|thread| locals.local(thread));
        let shared = self.tables.shared.get(state[0]);
        if self.permits.iter().any(|&permit| shared[self.instance.shared_range(permit).start] != 0) {
            return None;
        }
        all().find(|local| !self.instance.may_rest(local)).map(|local| self.instance.location_of(local))
    }

    /// The representative of a state, as numbers.
    pub(crate) fn representative(&mut self, mut state: Vec<u32>) -> Vec<u32> {
        self.canonical.canonicalise(&mut state, &mut self.tables.shared);
        state
    }

    /// The numbers of a thread's successors of a state.
    pub(crate) fn successors_of(&mut self, state: &[u32], thread: ThreadId) -> Vec<(u32, u32)> {
        let entry = self.tables.entry(thread.index(), state[0], state[thread.index() + 1]);
        self.tables.successors(entry).map(|index| self.tables.successor(index)).collect()
    }

    pub(crate) fn stats(&self) -> Stats {
        let numbers = vec![
            ("states", self.visited.len() as u64),
            ("transitions", self.transitions),
            ("depth", self.depth),
            ("shared_states", self.tables.shared.len() as u64),
            ("local_states", self.tables.locals.iter().map(|l| l.len() as u64).sum()),
        ];
        let (taken, stuck) = (Some(self.tables.taken.counts()), self.stuck);
        Stats { numbers, taken, stuck, covered: None }
    }

    /// The visited states as a proof.
    pub(crate) fn reachable_set(&self, folding: Folding) -> ReachableSet {
        let width = self.instance.threads.len() + 1;
        let mut states = vec![0; self.visited.len() * width];
        for (id, state) in states.chunks_exact_mut(width).enumerate() {
            self.visited.read(id as u32, state);
        }
        let stores = |interner: &Interner| (0..interner.len() as u32).map(|id| interner.get(id).into()).collect();
        ReachableSet {
            symmetric: if self.canonical.is_trivial() { Vec::new() } else { self.symmetric.to_vec() },
            folding,
            shared: stores(&self.tables.shared),
            locals: self.tables.locals.iter().map(stores).collect(),
            states,
        }
    }
}
