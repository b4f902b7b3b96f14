//! Among the shortest executions to an error, one in which another thread takes over least often: it is the easiest to read.
//!
//! The search knows how far each state is from the start. Going back from the errors that are as near as any, level by
//! level, one finds the states that shortest executions go through. From the start on, only through these, the fewest
//! changes are counted for each state and the thread that moved last. States that stand for all their permutations are
//! no hindrance: the second walk is among the states themselves.

use crate::initial::InitialStates;
use crate::search::Search;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::ControlFlow;
use threadwise_claims::violation_in;
use threadwise_evidence::Violation;
use threadwise_ir::ThreadId;
use threadwise_limits::{Budget, Limit};
use threadwise_tables::Unpacked;

/// Where more states were visited, the execution that the search found will do.
const MAX_STATES: usize = 1 << 16;
/// So it will where there are more ways than this.
const MAX_WAYS: usize = 1 << 16;

/// A shortest execution: where it starts, and who steps where.
pub(crate) struct Calm {
    pub(crate) start: Vec<u32>,
    pub(crate) steps: Vec<(ThreadId, Vec<u32>)>,
}

/// A state at the end of a shortest execution, and what is known of the best one that ends with a step of this thread.
struct Way {
    state: Vec<u32>,
    thread: Option<ThreadId>,
    changes: usize,
    /// Its place among those that are one step shorter.
    from: usize,
}

/// States that are equally far from the start, each once for each thread that may have moved last.
#[derive(Default)]
struct Level {
    ways: Vec<Way>,
    places: FxHashMap<(Vec<u32>, Option<ThreadId>), usize>,
}

impl Level {
    fn add(&mut self, way: Way) {
        match self.places.get(&(way.state.clone(), way.thread)) {
            Some(&known) if self.ways[known].changes <= way.changes => {}
            Some(&known) => self.ways[known] = way,
            None => {
                self.places.insert((way.state.clone(), way.thread), self.ways.len());
                self.ways.push(way);
            }
        }
    }
}

impl Search<'_> {
    /// A shortest execution to an error with the fewest changes of thread; nothing where finding one would be much work.
    pub(crate) fn calmest(&mut self, error: &[u32], initial: &InitialStates, budget: &Budget) -> Option<Calm> {
        if self.states.len() > MAX_STATES {
            return None;
        }
        let depth = self.states.level_of(error)?;
        let passed = self.passed(depth, budget).ok()?;
        let mut levels = vec![self.starts(initial, &passed[0])?];
        for passed in &passed[1..] {
            let next = self.next_level(&levels[levels.len() - 1], passed, budget).ok()??;
            levels.push(next);
        }
        self.best(&levels)
    }

    /// For each depth the keys of the states that shortest executions to errors at this depth go through.
    fn passed(&mut self, depth: u32, budget: &Budget) -> Result<Vec<FxHashSet<u64>>, Limit> {
        let mut levels: Vec<Vec<u64>> = vec![Vec::new(); depth as usize + 1];
        self.states.for_each(&mut |key, level| {
            if let Some(keys) = levels.get_mut(level as usize) {
                keys.push(key);
            }
        });
        let mut state = Unpacked::default();
        let mut passed: Vec<FxHashSet<u64>> = Vec::new();
        for keys in levels.into_iter().rev() {
            budget.check()?;
            let mut here = FxHashSet::default();
            for key in keys {
                self.states.read_key(key, &mut state);
                let is_passed = match passed.last() {
                    None => self.is_error(state.state()),
                    Some(next) => self.leads_to(state.state(), next),
                };
                if is_passed {
                    here.insert(key);
                }
            }
            passed.push(here);
        }
        passed.reverse();
        Ok(passed)
    }

    fn leads_to(&mut self, state: &[u32], targets: &FxHashSet<u64>) -> bool {
        self.successors(state).into_iter().any(|(_, next)| self.is_among(next, targets))
    }

    /// All states one step away, and who takes the step.
    fn successors(&mut self, state: &[u32]) -> Vec<(ThreadId, Vec<u32>)> {
        let mut found = Vec::new();
        for thread in (0..self.instance.threads.len() as u32).map(ThreadId) {
            for (shared, local) in self.successors_of(state, thread) {
                let mut next = state.to_vec();
                (next[0], next[thread.index() + 1]) = (shared, local);
                found.push((thread, next));
            }
        }
        found
    }

    /// Whether the state that stands for a state is one of these.
    fn is_among(&mut self, state: Vec<u32>, keys: &FxHashSet<u64>) -> bool {
        let state = self.representative(state);
        self.states.key(&state).is_some_and(|key| keys.contains(&key))
    }

    fn starts(&mut self, initial: &InitialStates, passed: &FxHashSet<u64>) -> Option<Level> {
        let mut level = Level::default();
        let end = initial.visit(&mut |state| {
            if level.ways.len() > MAX_WAYS {
                return ControlFlow::Break(());
            }
            if self.is_among(state.to_vec(), passed) {
                level.add(Way { state: state.to_vec(), thread: None, changes: 0, from: 0 });
            }
            ControlFlow::Continue(())
        });
        end.is_continue().then_some(level)
    }

    /// The ways that are one step longer; nothing if there are too many.
    fn next_level(&mut self, level: &Level, passed: &FxHashSet<u64>, budget: &Budget) -> Result<Option<Level>, Limit> {
        let mut next = Level::default();
        for (from, way) in level.ways.iter().enumerate() {
            budget.check()?;
            for (thread, state) in self.successors(&way.state) {
                if self.is_among(state.clone(), passed) {
                    let changes = way.changes + usize::from(way.thread.is_some_and(|last| last != thread));
                    next.add(Way { state, thread: Some(thread), changes, from });
                }
            }
            if next.ways.len() > MAX_WAYS {
                return Ok(None);
            }
        }
        // By who moves when, so that of equally good executions the one is taken in which the first threads begin.
        next.ways.sort_by_key(|way| (way.from, way.thread));
        Ok(Some(next))
    }

    /// The execution with the fewest changes; one before a step that goes wrong is one, too.
    fn best(&self, levels: &[Level]) -> Option<Calm> {
        let last = levels.last()?.ways.iter();
        let changes = |way: &Way| match violation_in(self.instance, &self.state(&way.state)) {
            Some(Violation::Step { thread, .. }) if way.thread.is_some_and(|last| last != thread) => way.changes + 1,
            _ => way.changes,
        };
        let (mut place, _) = last.enumerate().min_by_key(|(_, way)| changes(way))?;
        let mut steps = Vec::new();
        for level in levels.iter().rev() {
            let way = &level.ways[place];
            let Some(thread) = way.thread else { break };
            steps.push((thread, way.state.clone()));
            place = way.from;
        }
        steps.reverse();
        let start = levels[0].ways[place].state.clone();
        Some(Calm { start, steps })
    }
}
