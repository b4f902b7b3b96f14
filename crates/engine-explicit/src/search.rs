//! The search itself: level by level, each level in rounds.
//!
//! In a round so many states are looked at, by all workers, as far as the tables know what threads do in them. The others are then looked at
//! by one worker, in order, who adds to the tables. Only then the successors of all of them are added to the set of states, a shard at
//! a time. What is found, in which order and under which numbers, is thus the same for any number of workers.

use crate::canonical::Canonical;
use crate::expand::{Expander, Memory, Row, SEGMENT, Segment, goes_on};
use crate::initial::InitialStates;
use crate::reduce::Reduction;
use smallvec::SmallVec;
use std::ops::ControlFlow;
use threadwise_claims::Stats;
use threadwise_evidence::{Folding, ReachableSet};
use threadwise_ir::{Gap, Instance, LocationId, SharedId, TemplateId, ThreadId};
use threadwise_limits::{Budget, Limit};
use threadwise_tables::{Batch, Entry, Interner, Judgement, NOT_MUCH, StateSet, StepTables, Unpacked};

/// So many states are looked at in a round.
const ROUND: usize = 1 << 16;

/// Fewer states than this are not worth a second worker.
const WORTH_HELP: usize = 1 << 12;

/// How many states one worker looks at, or puts somewhere, between two looks at the budget.
const STATES_PER_CHECK: usize = 1 << 9;

/// More states than this that the tables do not know are worth several workers.
const WORTH_PREPARING: usize = 1 << 8;

/// After so many fields of successors one worker leaves the rest of its states to another round, so that these do not pile up.
const MANY_FIELDS: usize = 1 << 22;

/// A breadth-first search through the states of an instance.
pub(crate) struct Search<'a> {
    pub(crate) instance: &'a Instance,
    symmetric: Vec<TemplateId>,
    pub(crate) tables: StepTables<'a>,
    pub(crate) canonical: Canonical<'a>,
    /// What each worker remembers.
    memories: Vec<Memory<'a>>,
    /// How the search is reduced, if it is.
    pub(crate) reduction: Option<Reduction<'a>>,
    /// From how many states not all threads went on.
    reduced: u64,
    pub(crate) states: StateSet,
    /// Before there are so many states one worker looks at all of them.
    pub(crate) help_above: usize,
    /// With more states than this the search pauses.
    pub(crate) max_states: usize,
    /// Once it has looked at all states that are so few steps away, the search pauses, too.
    pub(crate) max_depth: u32,
    /// Where the search pauses: the rest of the level at hand, and what there is of the next one.
    paused: Option<(Batch, Batch)>,
    /// How many states are no more steps away than those that were looked at last.
    pub(crate) nearer: usize,
    transitions: u64,
    /// How many steps the states are away that were looked at last.
    pub(crate) depth: u32,
    gap: Option<Gap>,
    /// Where a thread is stuck in the first deadlock, where these are no errors.
    stuck: Option<LocationId>,
    /// While one of these is set, there is somebody who could take a step, if not in this instance.
    permits: Vec<SharedId>,
    /// Room for what is looked at in a round, and for what comes of it.
    rows: Vec<Row>,
    segments: Vec<Segment>,
    /// How many states were looked at since the limits were.
    unchecked: usize,
}

/// How a search ended.
pub(crate) enum End {
    /// All reachable states were visited, and none is an error.
    Exhausted,
    /// This state is an error.
    Error(Vec<u32>),
    /// No error was met, but the semantics left something out.
    Gap(Gap),
    /// A limit was met.
    Limit(Limit),
    /// There are more states than the search was to visit, or some are farther away. It can go on from there.
    TooMany,
}

impl<'a> Search<'a> {
    pub(crate) fn new(instance: &'a Instance, symmetric: Vec<TemplateId>, workers: usize) -> Search<'a> {
        let widths = instance.threads.iter().map(|thread| thread.template.index() + 1);
        Search {
            instance,
            tables: StepTables::new(instance),
            canonical: Canonical::new(instance, &symmetric),
            symmetric,
            memories: (0..workers.max(1)).map(|_| Memory::new(instance)).collect(),
            reduction: None,
            reduced: 0,
            states: StateSet::new(std::iter::once(0).chain(widths).collect()),
            help_above: 0,
            max_states: usize::MAX,
            max_depth: u32::MAX,
            paused: None,
            nearer: 0,
            transitions: 0,
            depth: 0,
            gap: None,
            stuck: None,
            permits: instance.program.permits(),
            rows: Vec::new(),
            segments: Vec::new(),
            unchecked: 0,
        }
    }

    /// FQ, section 2.1: BASIC INIT for the given initial states, then BASIC STEP until nothing is
    /// new. Breadth-first, so that the first error found is one of the nearest. A search that has paused goes on where it was.
    pub(crate) fn run(&mut self, initial: &InitialStates, budget: &Budget) -> End {
        match self.run_to_limit(initial, budget) {
            Ok(end) => end,
            Err(limit) => End::Limit(limit),
        }
    }

    /// Whether the search has paused where it can go on.
    pub(crate) fn can_go_on(&self) -> bool {
        self.paused.is_some()
    }

    fn run_to_limit(&mut self, initial: &InitialStates, budget: &Budget) -> Result<End, Limit> {
        let (mut level, mut next) = match self.paused.take() {
            Some(paused) => paused,
            None => {
                assert!(self.states.is_empty(), "a search begins once");
                let mut level = Batch::empty();
                if let ControlFlow::Break(end) = self.start(initial, &mut level, budget) {
                    return end;
                }
                self.nearer = self.states.len();
                (level, Batch::empty())
            }
        };
        // The fewer states there may be, the sooner it is seen that there are more.
        let most = |search: &Search<'_>| {
            (search.max_states - search.states.len().min(search.max_states)).clamp(SEGMENT, ROUND)
        };
        while !level.is_empty() {
            while !level.is_empty() {
                if self.states.len() > self.max_states || self.depth > self.max_depth {
                    self.paused = Some((level, next));
                    return Ok(End::TooMany);
                }
                let mut rows = std::mem::take(&mut self.rows);
                level.take(most(self), &mut rows);
                if let Some(end) = self.round(&rows, &mut level, &mut next, budget)? {
                    return Ok(end);
                }
                self.rows = rows;
            }
            std::mem::swap(&mut level, &mut next);
            self.depth += u32::from(!level.is_empty());
            self.nearer = self.states.len();
        }
        Ok(match self.gap.or(self.tables.gap) {
            Some(gap) => End::Gap(gap),
            None => End::Exhausted,
        })
    }

    /// Visits the initial states; the end, if that is one.
    fn start(
        &mut self,
        initial: &InitialStates,
        level: &mut Batch,
        budget: &Budget,
    ) -> ControlFlow<Result<End, Limit>> {
        let fields = self.instance.threads.len() + 1;
        let mut waiting: Vec<u32> = Vec::new();
        initial.visit(&mut |state| {
            waiting.extend(self.representative(state.to_vec()));
            if waiting.len() < fields * STATES_PER_CHECK {
                return ControlFlow::Continue(());
            }
            let added = self.check(STATES_PER_CHECK, budget).and_then(|()| self.add(&waiting, 0, &mut [level], budget));
            match added {
                Err(limit) => ControlFlow::Break(Err(limit)),
                Ok(()) if self.states.len() > self.max_states => ControlFlow::Break(Ok(End::TooMany)),
                Ok(()) => {
                    waiting.clear();
                    ControlFlow::Continue(())
                }
            }
        })?;
        match self.add(&waiting, 0, &mut [level], budget) {
            Ok(()) => ControlFlow::Continue(()),
            Err(limit) => ControlFlow::Break(Err(limit)),
        }
    }

    /// Adds states, whose fields stand one after the other, to the set; the last batch gets those that are new. All batches stay right.
    fn add(&mut self, states: &[u32], level: u32, batches: &mut [&mut Batch], budget: &Budget) -> Result<(), Limit> {
        if states.is_empty() {
            return Ok(());
        }
        self.states.make_room(states, batches, budget)?;
        let mut batch = Batch::empty();
        for state in states.chunks_exact(self.instance.threads.len() + 1) {
            let is_put = self.states.put(state, &mut batch);
            debug_assert!(is_put, "room was made for it");
        }
        let fresh = batches.last_mut().expect("there is a batch for new states");
        self.states.insert(&[&batch], level, fresh, 1, budget)
    }

    /// Looks at some states of a level; the end, if that is one.
    fn round(
        &mut self,
        rows: &[Row],
        level: &mut Batch,
        next: &mut Batch,
        budget: &Budget,
    ) -> Result<Option<End>, Limit> {
        self.check(rows.len(), budget)?;
        let mut memories = std::mem::take(&mut self.memories);
        let mut room = std::mem::take(&mut self.segments);
        let used = rows.len().div_ceil(SEGMENT);
        room.resize_with(used.max(room.len()), Segment::empty);
        let segments = &mut room[..used];
        let workers = self.workers_for(rows.len(), memories.len());
        let end = self.expander().expand(rows, &mut memories[..workers], segments, budget);
        self.memories = memories;
        end?;
        let first_error = segments.iter().filter_map(|segment| segment.error).min();
        let mut late = Late::default();
        let postponed = segments.iter().flat_map(|segment| segment.postponed.iter().copied());
        let postponed: Vec<usize> = postponed.take_while(|row| first_error.is_none_or(|error| *row < error)).collect();
        let late_error = self.look_at_postponed(rows, &postponed, &mut late, budget)?;
        for &(shard, number) in segments.iter().flat_map(|segment| &segment.left).chain(&late.left) {
            level.push(shard as usize, number);
        }
        if let Some(row) = late_error.or(first_error) {
            return Ok(Some(End::Error(self.read(rows[row]))));
        }
        self.note(segments, &late);
        let batches: SmallVec<[&Batch; 4]> = segments.iter().map(|segment| &segment.successors).collect();
        self.states.insert(&batches, self.depth + 1, next, workers, budget)?;
        drop(batches);
        self.segments = room;
        self.add(&late.successors, self.depth + 1, &mut [level, next], budget)?;
        Ok(None)
    }

    /// Looks at the limits, once there is a reason to: that takes as long as looking at many states, and there may be no more than one
    /// in a level.
    fn check(&mut self, states: usize, budget: &Budget) -> Result<(), Limit> {
        let growth = self.tables.growth();
        self.unchecked += states;
        if self.unchecked < STATES_PER_CHECK && growth < NOT_MUCH {
            return Ok(());
        }
        self.unchecked = 0;
        budget.check_for(growth)?;
        budget.report(|| format!("{} states, depth {}", self.states.len(), self.depth));
        Ok(())
    }

    /// A search begins with one worker. Others help once there are many states, and only in rounds that have many.
    fn workers_for(&self, rows: usize, all: usize) -> usize {
        if rows < WORTH_HELP || self.states.len() < self.help_above { 1 } else { all }
    }

    pub(crate) fn expander(&self) -> Expander<'_, 'a> {
        Expander {
            instance: self.instance,
            tables: &self.tables,
            canonical: &self.canonical,
            states: &self.states,
            permits: &self.permits,
            looks_for_stuck: self.stuck.is_none(),
            reduction: self.reduction.as_ref(),
        }
    }

    /// Adds up what came of states that were looked at.
    fn note(&mut self, segments: &[Segment], late: &Late) {
        self.transitions += segments.iter().map(|segment| segment.transitions).sum::<u64>() + late.transitions;
        self.reduced += segments.iter().map(|segment| segment.reduced).sum::<u64>() + late.reduced;
        let gaps = segments.iter().filter_map(|segment| segment.gap).chain(late.gap);
        self.gap = self.gap.or(gaps.min_by_key(|(row, _)| *row).map(|(_, gap)| gap));
        let stuck = segments.iter().filter_map(|segment| segment.stuck).chain(late.stuck);
        self.stuck = self.stuck.or(stuck.min_by_key(|(row, _)| *row).map(|(_, location)| location));
    }

    fn read(&self, (shard, number): Row) -> Vec<u32> {
        let mut state = Unpacked::default();
        self.states.read(shard as usize, number, &mut state);
        state.state().to_vec()
    }

    /// Looks at states that the tables do not know, in order, up to the first error, which it tells.
    fn look_at_postponed(
        &mut self,
        rows: &[Row],
        postponed: &[usize],
        late: &mut Late,
        budget: &Budget,
    ) -> Result<Option<usize>, Limit> {
        for some in postponed.chunks(STATES_PER_CHECK) {
            if late.successors.len() > MANY_FIELDS {
                late.left.extend(some.iter().map(|&row| rows[row]));
                continue;
            }
            self.check(some.len(), budget)?;
            if self.memories.len() > 1 && some.len() > WORTH_PREPARING {
                self.prepare(rows, some, budget);
            }
            for &row in some {
                let state = self.read(rows[row]);
                if self.look_at(row, &state, late) {
                    return Ok(Some(row));
                }
            }
        }
        Ok(None)
    }

    fn prepare(&mut self, rows: &[Row], postponed: &[usize], budget: &Budget) {
        let mut wanted = Vec::new();
        for &row in postponed {
            let state = self.read(rows[row]);
            wanted.extend(state[1..].iter().enumerate().map(|(thread, &local)| (thread, state[0], local)));
        }
        self.tables.prepare(&wanted, self.memories.len(), budget);
    }

    /// Finds the successors of a state; tells whether the state is an error.
    fn look_at(&mut self, row: usize, state: &[u32], late: &mut Late) -> bool {
        if self.is_error(state) {
            return true;
        }
        if let Judgement::Gap(gap) = self.memories[0].properties.judge(state, &self.tables) {
            late.gap = late.gap.or(Some((row, gap)));
        }
        let chosen = self.choose(state);
        late.reduced += u64::from(chosen.is_some());
        let symmetric = !self.canonical.is_trivial();
        let before = late.transitions;
        for thread in 0..self.instance.threads.len() {
            let may_repeat = symmetric && thread > 0 && goes_on(chosen, thread - 1);
            if !goes_on(chosen, thread)
                || may_repeat && self.canonical.repeats_previous(state, thread, &self.tables.shared)
            {
                continue;
            }
            let entry = self.tables.entry(thread, state[0], state[thread + 1]);
            for index in self.tables.successors(entry) {
                let (shared, local) = self.tables.successor(index);
                late.transitions += 1;
                let start = late.successors.len();
                late.successors.extend_from_slice(state);
                let successor = &mut late.successors[start..];
                (successor[0], successor[thread + 1]) = (shared, local);
                self.canonical.canonicalise(successor, &mut self.tables.shared);
            }
        }
        if late.transitions == before && self.stuck.is_none() && late.stuck.is_none() {
            late.stuck = self.expander().stuck_in(state).map(|location| (row, location));
        }
        false
    }

    /// The threads that must go on from a state, if not all must.
    fn choose(&mut self, state: &[u32]) -> Option<u64> {
        let reduction = self.reduction.as_ref()?;
        let entries: Vec<Entry> =
            state[1..].iter().enumerate().map(|(thread, &local)| self.tables.entry(thread, state[0], local)).collect();
        // The tables may have started anew meanwhile.
        let is_known = |(thread, &local): (usize, &u32)| self.tables.known(thread, state[0], local).is_some();
        let all_known = state[1..].iter().enumerate().all(is_known);
        all_known.then(|| reduction.choose(&mut self.memories[0].choices, state, &entries, &self.tables)).flatten()
    }

    /// Whether a state is an error.
    pub(crate) fn is_error(&mut self, state: &[u32]) -> bool {
        let fails =
            |tables: &mut StepTables<'_>, thread: usize| tables.entry(thread, state[0], state[thread + 1]).fails;
        matches!(self.memories[0].properties.judge(state, &self.tables), Judgement::Broken)
            || self.memories[0].properties.meets_pattern(state, &mut self.tables)
            || (0..self.instance.threads.len()).any(|thread| fails(&mut self.tables, thread))
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

    /// Whether not all threads went on from all states.
    pub(crate) fn is_reduced(&self) -> bool {
        self.reduced > 0
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut numbers = vec![
            ("states", self.states.len() as u64),
            ("transitions", self.transitions),
            ("depth", u64::from(self.depth)),
            ("shared_states", self.tables.shared.len() as u64),
            ("local_states", self.tables.locals.iter().map(|l| l.len() as u64).sum()),
        ];
        numbers.extend((self.reduced > 0).then_some(("reduced_states", self.reduced)));
        let (taken, stuck) = (Some(self.tables.taken.counts()), self.stuck);
        Stats { numbers, taken, stuck, covered: None }
    }

    /// The visited states as a proof.
    pub(crate) fn reachable_set(&self, folding: Folding) -> ReachableSet {
        let mut keys: Vec<(u32, u64)> = Vec::with_capacity(self.states.len());
        self.states.for_each(&mut |key, level| keys.push((level, key)));
        keys.sort_unstable();
        let mut states = Vec::with_capacity(keys.len() * (self.instance.threads.len() + 1));
        let mut state = Unpacked::default();
        for (_, key) in keys {
            self.states.read_key(key, &mut state);
            states.extend_from_slice(state.state());
        }
        let stores = |interner: &Interner| (0..interner.len() as u32).map(|id| interner.get(id).into()).collect();
        ReachableSet {
            symmetric: if self.canonical.is_trivial() { Vec::new() } else { self.symmetric.clone() },
            folding,
            shared: stores(&self.tables.shared),
            locals: self.tables.locals.iter().map(stores).collect(),
            states,
        }
    }
}

/// What came of states that only one worker could look at.
#[derive(Default)]
struct Late {
    /// The fields of the successors, one state after the other.
    successors: Vec<u32>,
    transitions: u64,
    reduced: u64,
    /// The states that are to be looked at in another round, since there are very many successors already.
    left: Vec<Row>,
    gap: Option<(usize, Gap)>,
    stuck: Option<(usize, LocationId)>,
}
