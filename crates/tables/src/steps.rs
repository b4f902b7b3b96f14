//! Each thread's steps as tables over interned states, filled as they are asked for.
//!
//! Threads that run the same code and never look at `self` share a table.

use crate::{Interner, Taken};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use threadwise_ir::{ExprKind, Gap, Instance, Observations, Program, Steps, TemplateId, ThreadId, patience};
use threadwise_limits::{Budget, growth_of_list, growth_of_table};

/// Above this many entries the tables start anew, so that programs whose every state has another
/// shared store do not pay for tables that are never asked twice.
const MAX_ENTRIES: usize = 1 << 22;

/// Shared states below this number, and local ones below the next, are looked up in an array: fewer
/// where there are many tables, so that the arrays of all together stay small.
const DENSE_SHARED: u32 = 1 << 10;
/// See [`DENSE_SHARED`].
const DENSE_LOCAL: u32 = 1 << 6;
/// The most shared states in the arrays of all tables.
const DENSE_SHARED_IN_ALL: u32 = 1 << 17;

const ABSENT: u32 = u32::MAX;

/// What a thread can do in a shared and a local state.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    start: u32,
    end: u32,
    /// Whether some step goes wrong.
    pub fails: bool,
    /// What the steps show to the patterns of properties, if anything: a number for [`StepTables::observations`].
    pub shown: Option<u32>,
}

/// The tables, and the interned stores they speak of.
pub struct StepTables<'a> {
    instance: &'a Instance,
    /// The shared stores met so far.
    pub shared: Interner,
    /// For each template the local states met so far.
    pub locals: Vec<Interner>,
    /// For each thread, whose table it uses.
    table_of: Vec<usize>,
    /// For each table, by shared and local state, the number of an entry.
    numbers: Vec<FxHashMap<(u32, u32), u32>>,
    /// The same for small numbers, as arrays: most lookups are of these.
    dense: Vec<Vec<u32>>,
    /// How many shared states these arrays are for.
    dense_shared: u32,
    entries: Vec<Entry>,
    successors: Vec<(u32, u32)>,
    observations: Vec<Observations>,
    observation_numbers: FxHashMap<Observations, u32>,
    /// Steps that were found out in advance, by table, shared and local state.
    prepared: FxHashMap<(usize, u32, u32), Steps>,
    /// Integers that are tried where a step may choose among more than can be tried.
    wanted: Vec<i64>,
    /// What the steps take that were asked for.
    pub taken: Taken,
    /// The first reason why some table is not complete.
    pub gap: Option<Gap>,
}

impl<'a> StepTables<'a> {
    /// The bytes that they take anew when they next grow, if that is near.
    pub fn growth(&self) -> u64 {
        let interned: u64 = self.locals.iter().map(Interner::growth).sum();
        let of_table = |numbers: &FxHashMap<(u32, u32), u32>| {
            growth_of_table::<((u32, u32), u32)>(numbers.len(), numbers.capacity())
        };
        let numbers: u64 = self.numbers.iter().map(of_table).sum();
        self.shared.growth() + interned + numbers + growth_of_list(&self.entries) + growth_of_list(&self.successors)
    }

    /// Empty tables.
    pub fn new(instance: &'a Instance) -> StepTables<'a> {
        StepTables::toward(instance, Vec::new())
    }

    /// Empty tables of steps that try these integers where any may be chosen, or more than can be tried.
    pub fn toward(instance: &'a Instance, wanted: Vec<i64>) -> StepTables<'a> {
        let templates = (0..instance.program.templates.len() as u32).map(TemplateId);
        let use_self: Vec<bool> = templates.map(|template| uses_self(&instance.program, template)).collect();
        let table_of: Vec<usize> = (0..instance.threads.len())
            .map(|thread| {
                let template = instance.threads[thread].template;
                if use_self[template.index()] { thread } else { instance.copies_of(template).start }
            })
            .collect();
        StepTables {
            instance,
            shared: Interner::default(),
            locals: instance.program.templates.iter().map(|_| Interner::default()).collect(),
            numbers: vec![FxHashMap::default(); table_of.len()],
            dense: vec![Vec::new(); table_of.len()],
            dense_shared: DENSE_SHARED.min(DENSE_SHARED_IN_ALL / (table_of.len() as u32).max(1)),
            table_of,
            entries: Vec::new(),
            successors: Vec::new(),
            observations: Vec::new(),
            observation_numbers: FxHashMap::default(),
            prepared: FxHashMap::default(),
            wanted,
            taken: Taken::none(&instance.program),
            gap: None,
        }
    }

    /// The successors that an entry lists: shared and local state.
    pub fn successor(&self, index: u32) -> (u32, u32) {
        self.successors[index as usize]
    }

    /// The indices of an entry's successors.
    pub fn successors(&self, entry: Entry) -> std::ops::Range<u32> {
        entry.start..entry.end
    }

    /// What the thread can do in this shared and local state.
    #[inline]
    pub fn entry(&mut self, thread: usize, shared: u32, local: u32) -> Entry {
        match self.known(thread, shared, local) {
            Some(entry) => entry,
            None => self.fill(thread, self.table_of[thread], shared, local),
        }
    }

    /// The same, if it is in the tables.
    #[inline]
    pub fn known(&self, thread: usize, shared: u32, local: u32) -> Option<Entry> {
        let table = self.table_of[thread];
        let number = if shared < self.dense_shared && local < DENSE_LOCAL {
            self.dense[table].get((shared * DENSE_LOCAL + local) as usize).copied().filter(|&number| number != ABSENT)
        } else {
            self.numbers[table].get(&(shared, local)).copied()
        };
        number.map(|number| self.entries[number as usize])
    }

    /// Finds out what threads can do in these shared and local states, with so many workers; it is put into the tables
    /// when it is asked for.
    pub fn prepare(&mut self, wanted: &[(usize, u32, u32)], workers: usize, budget: &Budget) {
        let mut keys: Vec<(usize, u32, u32)> = Vec::new();
        let mut seen = FxHashSet::default();
        for &(thread, shared, local) in wanted {
            if self.known(thread, shared, local).is_none() && seen.insert((self.table_of[thread], shared, local)) {
                keys.push((thread, shared, local));
            }
        }
        let next = AtomicUsize::new(0);
        let work = || {
            let mut found = Vec::new();
            while let Some(&(thread, shared, local)) = keys.get(next.fetch_add(1, Ordering::Relaxed)) {
                found.push(((self.table_of[thread], shared, local), self.steps(thread, shared, local)));
            }
            found
        };
        // What was interrupted stands for nothing, and whoever asks for it finds out that there is no time.
        let under_budget = || {
            let own = budget.clone();
            let (found, interrupted) = patience::under(move || own.look().is_ok(), work);
            if interrupted { Vec::new() } else { found }
        };
        let found = std::thread::scope(|scope| {
            // Where the system has no more threads to give, there are fewer.
            let help = |_| std::thread::Builder::new().spawn_scoped(scope, under_budget).ok();
            let helpers: Vec<_> = (1..workers).map_while(help).collect();
            let mut found = under_budget();
            for helper in helpers {
                found.extend(helper.join().expect("what computes steps does not panic"));
            }
            found
        });
        self.prepared = found.into_iter().collect();
    }

    fn steps(&self, thread: usize, shared: u32, local: u32) -> Steps {
        let template = self.instance.threads[thread].template.index();
        let (before, of_thread) = (self.shared.get(shared), self.locals[template].get(local));
        self.instance.steps_toward(ThreadId(thread as u32), before, of_thread, &self.wanted)
    }

    /// What the steps of an entry show.
    pub fn observations(&self, number: u32) -> &Observations {
        &self.observations[number as usize]
    }

    fn number_observations(&mut self, shown: Observations) -> Option<u32> {
        if shown.is_empty() {
            return None;
        }
        let known = self.observation_numbers.get(&shown).copied();
        Some(known.unwrap_or_else(|| {
            let number = self.observations.len() as u32;
            self.observations.push(shown.clone());
            self.observation_numbers.insert(shown, number);
            number
        }))
    }

    #[cold]
    fn fill(&mut self, thread: usize, table: usize, shared: u32, local: u32) -> Entry {
        if self.entries.len() >= MAX_ENTRIES {
            self.numbers.iter_mut().for_each(FxHashMap::clear);
            self.dense.iter_mut().for_each(Vec::clear);
            self.entries.clear();
            self.successors.clear();
        }
        let template = self.instance.threads[thread].template.index();
        let prepared = self.prepared.remove(&(table, shared, local));
        let steps = prepared.unwrap_or_else(|| self.steps(thread, shared, local));
        self.gap = self.gap.or(steps.gap);
        let start = self.successors.len() as u32;
        self.taken.note(&steps);
        let mut known = FxHashSet::default();
        for successor in &steps.successors {
            let next = (self.shared.intern(&successor.shared), self.locals[template].intern(&successor.local));
            // Most steps have one outcome, for which no set is needed.
            if steps.successors.len() == 1 || known.insert(next) {
                self.successors.push(next);
            }
        }
        let fails = !steps.failures.is_empty();
        let shown = self.number_observations(steps.shown);
        let entry = Entry { start, end: self.successors.len() as u32, fails, shown };
        let number = self.entries.len() as u32;
        if shared < self.dense_shared && local < DENSE_LOCAL {
            let index = (shared * DENSE_LOCAL + local) as usize;
            if self.dense[table].len() <= index {
                self.dense[table].resize(index + 1, ABSENT);
            }
            self.dense[table][index] = number;
        } else {
            self.numbers[table].insert((shared, local), number);
        }
        self.entries.push(entry);
        entry
    }
}

/// Whether the thread, or a routine that it calls, looks at `self`.
fn uses_self(program: &Program, template: TemplateId) -> bool {
    let mut found = false;
    for (_, edge) in program.edges_of_thread(template) {
        edge.op.walk_expressions(&mut |e| found |= matches!(e.kind, ExprKind::SelfThread));
    }
    found
}
