//! Where the program can start.

use crate::machine::Machine;
use threadwise_evidence::{Trace, Violation};
use threadwise_ir::{Instance, Store, ThreadId};
use threadwise_limits::{Budget, Limit};

/// More states to start in than these are not tried.
const MOST_STARTS: usize = 1 << 10;

/// How many stores are looked at between two looks at the budget.
const STORES_PER_CHECK: usize = 1 << 8;

/// States to start in.
pub(crate) struct Starts {
    pub(crate) rows: Vec<Vec<u32>>,
    /// Whether these are all.
    pub(crate) all: bool,
}

/// The initial values, or the start of a thread, go wrong.
pub(crate) fn wrong_start(instance: &Instance) -> Option<Trace> {
    let wrong = |violation: Violation| {
        let any_copies = instance.any_copies();
        Trace { any_copies, initial: None, steps: Vec::new(), violation }
    };
    let initial = instance.initial_stores();
    if let Some(&(fault, span)) = initial.faults.first() {
        return Some(wrong(Violation::Initial(fault, span)));
    }
    let store = initial.stores.first()?;
    (0..instance.threads.len() as u32).map(ThreadId).find_map(|thread| {
        let failure = instance.starts(thread, store).failures.into_iter().next()?;
        Some(wrong(Violation::Start { thread, error: failure.error, span: failure.span }))
    })
}

impl Starts {
    pub(crate) fn new(machine: &mut Machine<'_>, budget: &Budget) -> Result<Starts, Limit> {
        let instance = machine.instance;
        let initial = instance.initial_stores_toward(&machine.facts.wanted);
        let mut starts = Starts { rows: Vec::new(), all: initial.gap.is_none() };
        starts.all &= initial.stores.len() <= MOST_STARTS;
        for (index, store) in chosen(&initial.stores, &machine.facts.wanted).enumerate() {
            if index.is_multiple_of(STORES_PER_CHECK) {
                budget.check()?;
            }
            let mut rows = vec![vec![machine.tables.shared.intern(store)]];
            for thread in (0..instance.threads.len() as u32).map(ThreadId) {
                let found = instance.starts_toward(thread, store, &machine.facts.wanted);
                let template = instance.threads[thread.index()].template.index();
                let locals = found.successors.iter().map(|s| machine.tables.locals[template].intern(&s.local));
                rows = extended(&rows, &locals.collect::<Vec<u32>>());
                starts.all &= found.gap.is_none() && rows.len() <= MOST_STARTS;
                rows.truncate(MOST_STARTS);
            }
            starts.rows.extend(rows);
        }
        starts.all &= starts.rows.len() <= MOST_STARTS;
        starts.rows.truncate(MOST_STARTS);
        Ok(starts)
    }
}

/// The stores to start with. Where there are too many, some have values that the program compares with, and the others lie
/// far from each other.
fn chosen<'s>(stores: &'s [Store], wanted: &'s [i64]) -> impl Iterator<Item = &'s Store> {
    let stride = stores.len().div_ceil(MOST_STARTS).max(1);
    let is_wanted = move |store: &&Store| stride > 1 && store.iter().any(|word| wanted.contains(word));
    let special = stores.iter().filter(is_wanted).take(MOST_STARTS / 2);
    special.chain(stores.iter().step_by(stride)).take(MOST_STARTS)
}

/// Each row with each of the local states after it.
fn extended(rows: &[Vec<u32>], locals: &[u32]) -> Vec<Vec<u32>> {
    let with = |row: &Vec<u32>, local: u32| row.iter().copied().chain([local]).collect();
    rows.iter().flat_map(|row| locals.iter().map(move |&local| with(row, local))).take(MOST_STARTS + 1).collect()
}
