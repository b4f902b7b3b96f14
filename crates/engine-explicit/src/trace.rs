//! From a visited error state back to an execution that leads there.
//!
//! The set of states tells how far each is from the start, but not where it was come from. So the way is found backwards: among the
//! states one step nearer to the start one is looked for from which a step leads to the last one found.

use crate::calm::Calm;
use crate::initial::InitialStates;
use crate::search::Search;
use std::ops::ControlFlow;
use threadwise_claims::{step_between, violation_in};
use threadwise_evidence::Trace;
use threadwise_ir::{State, Store, ThreadId, patience};
use threadwise_limits::{Budget, Limit};
use threadwise_tables::Unpacked;

/// So many states of neighbouring levels are read from the set at once, unless a level has more.
const STATES_AT_ONCE: usize = 1 << 21;

/// How many states are looked at between two looks at the budget.
const STATES_PER_CHECK: usize = 1 << 12;

impl Search<'_> {
    /// An execution from one of the initial states to an error that is as near as this one.
    pub(crate) fn trace_to(&mut self, error: &[u32], initial: &InitialStates, budget: &Budget) -> Result<Trace, Limit> {
        let Calm { start, steps } = match self.calmest(error, initial, budget) {
            Some(calm) => calm,
            None => self.way_to(error, initial, budget)?,
        };
        let mut before = self.state(&start);
        let initial = before.clone();
        let mut trace_steps = Vec::new();
        for (thread, next) in steps {
            let after = self.state(&next);
            let step = step_between(self.instance, &before, thread, &after);
            trace_steps.push(step.ok_or_else(|| why_nothing(budget))?);
            before = after;
        }
        let violation = violation_in(self.instance, &before).ok_or_else(|| why_nothing(budget))?;
        Ok(Trace { any_copies: self.instance.any_copies(), initial: Some(initial), steps: trace_steps, violation })
    }

    /// A shortest execution to the error state. Where states stand for all their permutations, it is found
    /// anew from the representatives along the way.
    fn way_to(&mut self, error: &[u32], initial: &InitialStates, budget: &Budget) -> Result<Calm, Limit> {
        let mut rest = self.chain_to(error, budget)?;
        let first = rest.remove(0);
        let start = initial.visit(&mut |state| match self.representative(state.to_vec()) == first {
            true => ControlFlow::Break(state.to_vec()),
            false => ControlFlow::Continue(()),
        });
        let start = start.break_value().expect("a chain starts in an initial state");
        let mut state = start.clone();
        let mut steps = Vec::new();
        for target in rest {
            let (thread, next) = self.step_towards(&state, &target).ok_or_else(|| why_nothing(budget))?;
            steps.push((thread, next.clone()));
            state = next;
        }
        Ok(Calm { start, steps })
    }

    /// Visited states, each a step from the one before, from an initial one to the error.
    fn chain_to(&mut self, error: &[u32], budget: &Budget) -> Result<Vec<Vec<u32>>, Limit> {
        let depth = self.states.level_of(error).expect("it was visited");
        let mut sizes = vec![0; depth as usize + 1];
        self.states.for_each(&mut |_, level| {
            if let Some(size) = sizes.get_mut(level as usize) {
                *size += 1;
            }
        });
        let mut chain = vec![error.to_vec()];
        let mut levels: Vec<Vec<u64>> = Vec::new();
        for level in (0..depth).rev() {
            if levels.is_empty() {
                levels = self.levels_up_to(level, &sizes, budget)?;
            }
            let keys = levels.pop().expect("there is a level at least");
            let before = self.predecessor(&keys, &chain[chain.len() - 1], budget)?;
            chain.push(before.ok_or_else(|| why_nothing(budget))?);
        }
        chain.reverse();
        Ok(chain)
    }

    /// The keys of the states of a level, and of as many levels before it as can be had at once.
    fn levels_up_to(&self, last: u32, sizes: &[usize], budget: &Budget) -> Result<Vec<Vec<u64>>, Limit> {
        let (mut first, mut states) = (last, sizes[last as usize]);
        while first > 0 && states + sizes[first as usize - 1] <= STATES_AT_ONCE {
            first -= 1;
            states += sizes[first as usize];
        }
        budget.check_for(8 * states as u64)?;
        let mut levels: Vec<Vec<u64>> = (first..=last).map(|level| Vec::with_capacity(sizes[level as usize])).collect();
        self.states.for_each(&mut |key, level| {
            if let Some(keys) = level.checked_sub(first).and_then(|index| levels.get_mut(index as usize)) {
                keys.push(key);
            }
        });
        Ok(levels)
    }

    /// The first of these states from which a step leads to the target.
    fn predecessor(&mut self, keys: &[u64], target: &[u32], budget: &Budget) -> Result<Option<Vec<u32>>, Limit> {
        let mut state = Unpacked::default();
        for (index, &key) in keys.iter().enumerate() {
            if index.is_multiple_of(STATES_PER_CHECK) {
                budget.check()?;
            }
            self.states.read_key(key, &mut state);
            let from = state.state();
            // A step changes one thread; where threads do not change places, that can be seen at once.
            let changed = || from[1..].iter().zip(&target[1..]).filter(|(before, after)| before != after).count();
            if (!self.canonical.is_trivial() || changed() <= 1) && self.step_towards(from, target).is_some() {
                return Ok(Some(from.to_vec()));
            }
        }
        Ok(None)
    }

    fn step_towards(&mut self, state: &[u32], target: &[u32]) -> Option<(ThreadId, Vec<u32>)> {
        for thread in (0..self.instance.threads.len() as u32).map(ThreadId) {
            for (shared, local) in self.successors_of(state, thread) {
                let mut next = state.to_vec();
                (next[0], next[thread.index() + 1]) = (shared, local);
                if self.representative(next.clone()) == target {
                    return Some((thread, next));
                }
            }
        }
        None
    }

    pub(crate) fn state(&self, state: &[u32]) -> State {
        let local = |(thread, &id): (usize, &u32)| -> Store {
            let template = self.instance.threads[thread].template.index();
            self.tables.locals[template].get(id).into()
        };
        State {
            shared: self.tables.shared.get(state[0]).into(),
            locals: state[1..].iter().enumerate().map(local).collect(),
        }
    }
}

/// Every state of the set was come to by a step, and what the tables list the semantics gives. It only does not if it has
/// been interrupted since: then it gives nothing any more.
fn why_nothing(budget: &Budget) -> Limit {
    assert!(!patience::may_go_on(), "the tables list what the semantics gives");
    budget.check().err().unwrap_or(Limit::Interrupted)
}
