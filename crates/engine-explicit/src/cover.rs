//! How often each edge is taken, for those who want to know. It is counted after the search, so that others do not pay for it.

use crate::search::Search;
use rustc_hash::FxHashMap;
use threadwise_ir::{Steps, ThreadId};
use threadwise_limits::Budget;
use threadwise_tables::Unpacked;

/// How many states are looked at between two looks at the budget.
const STATES_PER_CHECK: usize = 1 << 12;

impl Search<'_> {
    /// For each edge how many steps take it from the states as near as the last that was looked at, wrong ones included; nothing if there is not enough
    /// time to count.
    pub(crate) fn covered(&mut self, budget: &Budget) -> Option<Vec<u64>> {
        let mut occurrences: FxHashMap<(u32, u32, u32), u64> = FxHashMap::default();
        let mut keys = Vec::new();
        self.states.for_each(&mut |key, level| keys.extend((level <= self.depth).then_some(key)));
        let mut state = Unpacked::default();
        for (index, key) in keys.into_iter().enumerate() {
            if index.is_multiple_of(STATES_PER_CHECK) {
                budget.check().ok()?;
            }
            self.states.read_key(key, &mut state);
            let state = state.state();
            for (thread, &local) in state[1..].iter().enumerate() {
                *occurrences.entry((thread as u32, state[0], local)).or_default() += 1;
            }
        }
        let mut counts = vec![0; self.instance.program.edges.len()];
        for (number, (&(thread, shared, local), &times)) in occurrences.iter().enumerate() {
            if number.is_multiple_of(STATES_PER_CHECK) {
                budget.check().ok()?;
            }
            let template = self.instance.threads[thread as usize].template.index();
            let (shared, local) = (self.tables.shared.get(shared), self.tables.locals[template].get(local));
            count(&self.instance.steps(ThreadId(thread), shared, local), times, &mut counts);
        }
        self.count_starts(&mut counts);
        Some(counts)
    }

    /// Declarations at the beginning of a thread are done before its first step.
    fn count_starts(&self, counts: &mut [u64]) {
        let Some(shared) = (!self.states.is_empty()).then(|| self.tables.shared.get(0)) else { return };
        for thread in (0..self.instance.threads.len() as u32).map(ThreadId) {
            count(&self.instance.starts(thread, shared), 1, counts);
        }
    }
}

fn count(steps: &Steps, times: u64, counts: &mut [u64]) {
    let paths = steps.successors.iter().map(|successor| &successor.path);
    let wrong = steps.failures.iter().map(|failure| &failure.path);
    for edge in paths.chain(wrong).flatten().chain(&steps.joining) {
        counts[edge.index()] += times;
    }
}
