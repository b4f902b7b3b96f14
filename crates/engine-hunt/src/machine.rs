//! A program at work. A state is a row of numbers: that of its shared store, then that of each thread's local state.
//!
//! What a thread does that is nobody else's concern goes with the step before it, as far as it can go only one way: a loop that only
//! counts is one move, however long it is. No error is lost, since such a step neither fails nor shows anything to a property.

use crate::facts::Facts;
use rustc_hash::FxHashMap;
use std::ops::Range;
use threadwise_ir::{Instance, LocationId};
use threadwise_tables::{Interner, Judgement, PropertyMemo, StepTables};

/// So many words of all threads together are looked through at every change of threads.
const QUICKLY_SEEN: usize = 1 << 14;

/// So many steps go with one, at most.
const MOST_TOGETHER: usize = 1 << 16;

/// In states of more threads than this not all of them are looked at after every step.
pub(crate) const FEW_THREADS: usize = 32;

pub(crate) struct Machine<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) facts: &'a Facts,
    pub(crate) tables: StepTables<'a>,
    memo: PropertyMemo<'a>,
    groups: Vec<Range<usize>>,
    profiles: Interner,
    /// For each shared store its profile of each thread.
    profiles_of: Vec<Option<Box<[u32]>>>,
    /// Where threads come to by steps that are nobody else's concern, from a local state and given values of what they
    /// alone change.
    ahead: FxHashMap<(usize, u32, u32), u32>,
    own_values: Interner,
    /// For each thread and shared store the values of what the thread alone changes.
    own_values_in: FxHashMap<(usize, u32), u32>,
    /// So many outcomes of a step are looked at: the first ones are the simplest.
    pub(crate) most_outcomes: usize,
    /// Whether a step had more.
    pub(crate) left_out: bool,
    /// How often somebody asked what a thread can do: what the work is measured by.
    pub(crate) work: u64,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(instance: &'a Instance, facts: &'a Facts) -> Machine<'a> {
        Machine {
            instance,
            facts,
            tables: StepTables::toward(instance, facts.wanted.clone()),
            memo: PropertyMemo::new(instance),
            groups: facts.groups(instance),
            profiles: Interner::default(),
            profiles_of: Vec::new(),
            ahead: FxHashMap::default(),
            own_values: Interner::default(),
            own_values_in: FxHashMap::default(),
            most_outcomes: usize::MAX,
            left_out: false,
            work: 0,
        }
    }

    pub(crate) fn threads(&self) -> usize {
        self.instance.threads.len()
    }

    /// Puts the thread's successors into `out`; tells whether a step of it goes wrong.
    pub(crate) fn successors(&mut self, row: &[u32], thread: usize, out: &mut Vec<(u32, u32)>) -> bool {
        self.work += 1;
        let entry = self.tables.entry(thread, row[0], row[thread + 1]);
        out.clear();
        let all = self.tables.successors(entry);
        self.left_out |= all.len() > self.most_outcomes;
        out.extend(all.take(self.most_outcomes).map(|index| self.tables.successor(index)));
        for (shared, local) in out {
            *local = self.ahead(thread, *shared, *local);
        }
        entry.fails
    }

    /// The states that a move passes, the last one among them.
    pub(crate) fn passed(&mut self, row: &[u32], thread: usize, choice: usize) -> Option<Vec<(u32, u32)>> {
        let entry = self.tables.entry(thread, row[0], row[thread + 1]);
        let (shared, mut local) = self.tables.successor(self.tables.successors(entry).nth(choice)?);
        let last = self.ahead(thread, shared, local);
        let mut passed = vec![(shared, local)];
        while local != last {
            local = self.private_step(thread, shared, local)?;
            passed.push((shared, local));
        }
        Some(passed)
    }

    /// Where a thread comes to by steps that are nobody else's concern. One that goes round in circles stays where it is.
    fn ahead(&mut self, thread: usize, shared: u32, local: u32) -> u32 {
        let from = (thread, self.own_values_in(thread, shared), local);
        if let Some(&known) = self.ahead.get(&from) {
            return known;
        }
        let (mut at, mut landmark) = (local, local);
        for steps in 1..=MOST_TOGETHER {
            let Some(next) = self.private_step(thread, shared, at) else { break };
            self.work += 1;
            at = next;
            if at == landmark {
                at = local;
                break;
            }
            if steps.is_power_of_two() {
                landmark = at;
            }
        }
        self.ahead.insert(from, at);
        at
    }

    fn own_values_in(&mut self, thread: usize, shared: u32) -> u32 {
        let template = self.instance.threads[thread].template.index();
        let own = self.facts.own(template);
        if own.is_empty() {
            return 0;
        }
        let (instance, values, store) = (self.instance, &mut self.own_values, self.tables.shared.get(shared));
        *self.own_values_in.entry((thread, shared)).or_insert_with(|| {
            let words: Vec<i64> = own.iter().flat_map(|&var| &store[instance.shared_range(var)]).copied().collect();
            values.intern(&words)
        })
    }

    /// The only step of a thread, if it is nobody else's concern: what it does depends on nothing that others change, and what
    /// others see stays as it is.
    fn private_step(&mut self, thread: usize, shared: u32, local: u32) -> Option<u32> {
        let template = self.instance.threads[thread].template.index();
        let location = self.instance.location_of(self.tables.locals[template].get(local));
        if !self.facts.depends_on_nobody(location) {
            return None;
        }
        let entry = self.tables.entry(thread, shared, local);
        let mut all = self.tables.successors(entry);
        let (Some(only), None, false, None) = (all.next(), all.next(), entry.fails, entry.shown) else { return None };
        let (after, next) = self.tables.successor(only);
        (after == shared).then_some(next)
    }

    /// Whether the thread can take a step.
    pub(crate) fn is_enabled(&mut self, row: &[u32], thread: usize) -> bool {
        self.work += 1;
        let entry = self.tables.entry(thread, row[0], row[thread + 1]);
        !self.tables.successors(entry).is_empty()
    }

    /// Whether a state is in error.
    pub(crate) fn is_wrong(&mut self, row: &[u32]) -> bool {
        matches!(self.memo.judge(row, &self.tables), Judgement::Broken)
            || self.memo.meets_pattern(row, &mut self.tables)
            || (0..self.threads()).any(|thread| self.goes_wrong(row, thread))
    }

    /// The same, after a step of this thread. Where there are many threads only what is likely to have changed is
    /// looked at.
    pub(crate) fn is_wrong_after(&mut self, row: &[u32], thread: usize) -> bool {
        if self.threads() <= FEW_THREADS {
            return self.is_wrong(row);
        }
        matches!(self.memo.judge(row, &self.tables), Judgement::Broken)
            || self.goes_wrong(row, thread)
            || self.shows(row, thread) && self.memo.meets_pattern(row, &mut self.tables)
    }

    fn goes_wrong(&mut self, row: &[u32], thread: usize) -> bool {
        self.work += 1;
        self.tables.entry(thread, row[0], row[thread + 1]).fails
    }

    /// Whether patterns see something of the thread, or might if it can do nothing.
    fn shows(&mut self, row: &[u32], thread: usize) -> bool {
        self.tables.entry(thread, row[0], row[thread + 1]).shown.is_some()
    }

    /// Whether to stop the thread here and let others run can bring anything.
    pub(crate) fn is_worth_stopping(&self, row: &[u32], thread: usize) -> bool {
        !self.facts.is_private(self.location(row, thread))
    }

    /// Where the thread is.
    pub(crate) fn location(&self, row: &[u32], thread: usize) -> LocationId {
        let template = self.instance.threads[thread].template.index();
        self.instance.location_of(self.tables.locals[template].get(row[thread + 1]))
    }

    /// Whether the thread is in the situation of the one before it. `start` is where they started: where it would take
    /// long to see how stores refer to copies, those that have not moved are taken to be alike.
    pub(crate) fn repeats_previous(&mut self, row: &[u32], start: &[u32], thread: usize) -> bool {
        let same_group = self.groups.iter().any(|group| thread > group.start && thread < group.end);
        if !same_group || row[thread] != row[thread + 1] {
            return false;
        }
        if !self.facts.names_copies() {
            return true;
        }
        if self.instance.shared_words() * self.threads() > QUICKLY_SEEN {
            return start[thread] == row[thread] && start[thread + 1] == row[thread + 1];
        }
        let profiles = self.profiles_in(row[0]);
        profiles[thread - 1] == profiles[thread]
    }

    /// For each thread how a shared store refers to it.
    fn profiles_in(&mut self, shared: u32) -> &[u32] {
        let index = shared as usize;
        if self.profiles_of.len() <= index {
            self.profiles_of.resize(index + 1, None);
        }
        let (instance, profiles, store) = (self.instance, &mut self.profiles, self.tables.shared.get(shared));
        self.profiles_of[index].get_or_insert_with(|| {
            let tids = 1..=instance.threads.len() as i64;
            tids.map(|tid| profiles.intern(&instance.profile(store, tid))).collect()
        })
    }
}
