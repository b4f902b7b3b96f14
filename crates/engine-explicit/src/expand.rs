//! What lies one step beyond states: by several workers at once, as far as the tables tell; the rest is left to one who may add to
//! the tables.

use crate::canonical::Canonical;
use crate::reduce::{Choices, Reduction};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use threadwise_ir::{Gap, Instance, Locals, LocationId, SharedId, patience};
use threadwise_limits::{Budget, Limit};
use threadwise_tables::{Batch, Entry, InternedLocals, Judgement, PropertyMemo, StateSet, StepTables, Unpacked};

/// So many states are looked at by one worker before it asks for more.
pub(crate) const SEGMENT: usize = 1 << 10;

/// After so many successors a worker leaves the rest of its states to another round, so that these do not pile up.
const MANY_SUCCESSORS: u64 = 64 * SEGMENT as u64;

/// A state of the level at hand: its shard, and its number there.
pub(crate) type Row = (u32, u64);

/// What all workers may look at.
pub(crate) struct Expander<'s, 'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) tables: &'s StepTables<'a>,
    pub(crate) canonical: &'s Canonical<'a>,
    pub(crate) states: &'s StateSet,
    pub(crate) permits: &'s [SharedId],
    /// Whether a state from which no step leads is of interest.
    pub(crate) looks_for_stuck: bool,
    pub(crate) reduction: Option<&'s Reduction<'a>>,
}

/// What a worker remembers.
pub(crate) struct Memory<'a> {
    pub(crate) properties: PropertyMemo<'a>,
    pub(crate) choices: Choices,
    scratch: Scratch,
}

impl<'a> Memory<'a> {
    pub(crate) fn new(instance: &'a Instance) -> Memory<'a> {
        Memory { properties: PropertyMemo::new(instance), choices: Choices::default(), scratch: Scratch::default() }
    }
}

/// What came of a few states.
#[derive(Default)]
pub(crate) struct Segment {
    /// The states that steps lead to.
    pub(crate) successors: Batch,
    pub(crate) transitions: u64,
    /// From how many states not all threads went on.
    pub(crate) reduced: u64,
    /// The states that were left alone, since the tables do not know what threads do there.
    pub(crate) postponed: Vec<usize>,
    /// The states that are to be looked at in another round, since there are very many successors already.
    pub(crate) left: Vec<Row>,
    /// The first state that is an error.
    pub(crate) error: Option<usize>,
    /// The first state of which properties cannot be judged.
    pub(crate) gap: Option<(usize, Gap)>,
    /// The first state in which somebody is stuck.
    pub(crate) stuck: Option<(usize, LocationId)>,
}

/// What came of a state.
enum Looked {
    Expanded,
    Postponed,
    Error,
}

/// What a worker needs while it looks at states.
#[derive(Default)]
struct Scratch {
    from: Unpacked,
    entries: SmallVec<[Entry; 16]>,
    successor: Vec<u32>,
}

impl<'a> Expander<'_, 'a> {
    /// Looks at all states, with as many workers as there are memories. What comes of it does not depend on how many there are.
    pub(crate) fn expand(
        &self,
        rows: &[Row],
        memories: &mut [Memory<'a>],
        segments: &mut [Segment],
        budget: &Budget,
    ) -> Result<(), Limit> {
        segments.iter_mut().for_each(Segment::clear);
        let (own, others) = memories.split_first_mut().expect("there is one worker at least");
        if others.is_empty() {
            for (segment, (found, rows)) in segments.iter_mut().zip(rows.chunks(SEGMENT)).enumerate() {
                if segment > 0 {
                    budget.check()?;
                }
                self.segment(rows, segment * SEGMENT, own, found);
            }
            return Ok(());
        }
        self.share(rows, own, others, segments, budget)
    }

    fn share(
        &self,
        rows: &[Row],
        own: &mut Memory<'a>,
        others: &mut [Memory<'a>],
        segments: &mut [Segment],
        budget: &Budget,
    ) -> Result<(), Limit> {
        let work: Vec<std::sync::Mutex<&mut Segment>> = segments.iter_mut().map(std::sync::Mutex::new).collect();
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let look = |memory: &mut Memory<'a>, may_go_on: &dyn Fn() -> bool| {
            while !stop.load(Ordering::Relaxed) {
                let segment = next.fetch_add(1, Ordering::Relaxed);
                let (Some(found), Some(rows)) = (work.get(segment), rows.chunks(SEGMENT).nth(segment)) else { break };
                if !may_go_on() {
                    stop.store(true, Ordering::Relaxed);
                    break;
                }
                let mut found = found.lock().expect("nobody panics while holding it");
                self.segment(rows, segment * SEGMENT, memory, &mut found);
            }
        };
        let end = std::thread::scope(|scope| {
            for memory in others {
                let helper = budget.clone();
                let look = &look;
                let help = move || {
                    let patient = helper.clone();
                    patience::under(move || patient.look().is_ok(), || look(memory, &|| helper.look().is_ok()))
                };
                // Where the system has no more threads to give, there are fewer.
                if std::thread::Builder::new().spawn_scoped(scope, help).is_err() {
                    break;
                }
            }
            let end = std::cell::Cell::new(Ok(()));
            look(own, &|| {
                end.set(budget.check());
                end.get().is_ok()
            });
            end.get()
        });
        end.and_then(|()| if stop.into_inner() { budget.check() } else { Ok(()) })
    }

    fn segment(&self, rows: &[Row], first: usize, memory: &mut Memory<'a>, found: &mut Segment) {
        let mut scratch = std::mem::take(&mut memory.scratch);
        for (index, &(shard, number)) in rows.iter().enumerate() {
            if found.transitions > MANY_SUCCESSORS {
                found.left.extend_from_slice(&rows[index..]);
                break;
            }
            self.states.read(shard as usize, number, &mut scratch.from);
            match self.look(first + index, &mut scratch, memory, found) {
                Looked::Expanded => {}
                Looked::Postponed => found.postponed.push(first + index),
                Looked::Error => {
                    found.error = Some(first + index);
                    break;
                }
            }
        }
        memory.scratch = scratch;
    }

    fn look(&self, row: usize, scratch: &mut Scratch, memory: &mut Memory<'a>, found: &mut Segment) -> Looked {
        let Scratch { from, entries, successor } = scratch;
        let state = from.state();
        entries.clear();
        for (thread, &local) in state[1..].iter().enumerate() {
            let Some(entry) = self.tables.known(thread, state[0], local) else { return Looked::Postponed };
            entries.push(entry);
        }
        match memory.properties.judge(state, self.tables) {
            Judgement::Good => {}
            Judgement::Broken => return Looked::Error,
            Judgement::Gap(gap) => found.gap = found.gap.or(Some((row, gap))),
        }
        if memory.properties.entries_meet_pattern(entries, self.tables) || entries.iter().any(|entry| entry.fails) {
            return Looked::Error;
        }
        let chosen =
            self.reduction.and_then(|reduction| reduction.choose(&mut memory.choices, state, entries, self.tables));
        let Some(transitions) = self.step(from, entries, chosen, successor, &mut found.successors) else {
            return Looked::Postponed;
        };
        found.transitions += transitions;
        found.reduced += u64::from(chosen.is_some());
        if transitions == 0 && self.looks_for_stuck && found.stuck.is_none() {
            found.stuck = self.stuck_in(state).map(|location| (row, location));
        }
        Looked::Expanded
    }

    /// Puts the successors of a state into the batch and counts them, if all of them can be told.
    fn step(
        &self,
        from: &Unpacked,
        entries: &[Entry],
        chosen: Option<u64>,
        successor: &mut Vec<u32>,
        batch: &mut Batch,
    ) -> Option<u64> {
        let (state, symmetric) = (from.state(), !self.canonical.is_trivial());
        let mut transitions = 0;
        for (thread, &entry) in entries.iter().enumerate() {
            if !goes_on(chosen, thread) || symmetric && self.repeats_previous(state, thread, chosen)? {
                continue;
            }
            for index in self.tables.successors(entry) {
                let (shared, local) = self.tables.successor(index);
                transitions += 1;
                let is_put = if symmetric {
                    successor.clear();
                    successor.extend_from_slice(state);
                    (successor[0], successor[thread + 1]) = (shared, local);
                    self.canonical.canonicalise_if_known(successor) && self.states.put(successor, batch)
                } else {
                    self.states.put_changed(from, shared, thread, local, batch)
                };
                if !is_put {
                    return None;
                }
            }
        }
        Some(transitions)
    }

    /// Whether the thread before one goes on, too, and its steps are the same up to a permutation, if that is known.
    fn repeats_previous(&self, state: &[u32], thread: usize, chosen: Option<u64>) -> Option<bool> {
        match thread > 0 && goes_on(chosen, thread - 1) {
            true => self.canonical.repeats_previous_if_known(state, thread),
            false => Some(false),
        }
    }

    /// Where a thread is stuck in a state from which no step leads.
    pub(crate) fn stuck_in(&self, state: &[u32]) -> Option<LocationId> {
        if self.instance.program.forbids_deadlocks() || self.tables.gap.is_some() {
            return None;
        }
        let locals = InternedLocals { instance: self.instance, state, tables: self.tables };
        let all = || (0..self.instance.threads.len()).map(|thread| locals.local(thread));
        let shared = self.tables.shared.get(state[0]);
        if self.permits.iter().any(|&permit| shared[self.instance.shared_range(permit).start] != 0) {
            return None;
        }
        all().find(|local| !self.instance.may_rest(local)).map(|local| self.instance.location_of(local))
    }
}

/// Whether a thread is among those that were chosen, if some were.
pub(crate) fn goes_on(chosen: Option<u64>, thread: usize) -> bool {
    chosen.is_none_or(|threads| threads >> thread & 1 == 1)
}

impl Segment {
    /// One that has room for successors.
    pub(crate) fn empty() -> Segment {
        Segment { successors: Batch::empty(), ..Segment::default() }
    }

    /// Forgets all, and keeps the room.
    fn clear(&mut self) {
        let (mut successors, mut postponed) =
            (std::mem::take(&mut self.successors), std::mem::take(&mut self.postponed));
        successors.clear();
        postponed.clear();
        *self = Segment { successors, postponed, ..Segment::default() };
    }
}
