//! What is known of the shared store by everybody: always, and whenever a certain cell has a certain value. That a mutex
//! is free is such a value: what holds then is what its critical sections leave behind.

use crate::cells::{Cells, ME, NONE, OTHER, Role};
use crate::number::Numbers;
use crate::state::{At, State};
use std::collections::BTreeMap;
use threadwise_ir::Sort;

/// More conditions than this are not looked at.
const MANY_KEYS: usize = 64;

/// More shared numbers than this are not compared with each other.
const MANY_NUMBERS: usize = 24;

/// Threads as nobody in particular sees them: [`ME`] does not occur.
#[derive(Default)]
pub(crate) struct Known {
    /// What always holds; nothing as long as no store is known.
    pub(crate) always: Option<State>,
    /// What holds whenever a cell has a value, for the cells and values that are looked at; nothing if that was never so.
    pub(crate) wherever: BTreeMap<(At, i64), Option<State>>,
    /// The shared cells that are compared with each other.
    numbers: Vec<At>,
    /// How often something had to be weakened.
    pub(crate) changes: u64,
}

impl Known {
    pub(crate) fn new(cells: &Cells<'_>) -> Known {
        let mut known = Known::default();
        for (at, cell) in cells.shared.iter().enumerate().filter(|(_, cell)| cell.known) {
            let values = match cell.sort {
                Sort::Tid => vec![NONE],
                Sort::Bool
                | Sort::Enum(_)
                | Sort::Int
                | Sort::Range(..)
                | Sort::Bits(_)
                | Sort::Set(_)
                | Sort::Array(..) => cells.flags[at].clone(),
            };
            if known.wherever.len() + values.len() <= MANY_KEYS {
                known.wherever.extend(values.into_iter().map(|value| ((at, value), None)));
            }
        }
        let numbers = cells.shared.iter().enumerate().filter(|(_, cell)| cell.known && cell.sort.is_integer());
        known.numbers = numbers.map(|(at, _)| at).collect();
        if known.numbers.len() > MANY_NUMBERS {
            known.numbers.clear();
        }
        known
    }

    /// Only what always holds; `false` if nothing is left.
    pub(crate) fn meet_always(&self, cells: &Cells<'_>, me: Role, state: &mut State) -> bool {
        let Some(always) = &self.always else { return false };
        if !state.meet(&seen(cells, me, always)) {
            return false;
        }
        self.wherever.iter().all(|(&(at, value), _)| {
            state.cells[at].single() != Some(value) || self.meet_where(cells, me, state, (at, value), &[])
        })
    }

    /// Only what holds where a cell has a value, in a step that has written some cells, and not this one.
    pub(crate) fn meet_where(
        &self,
        cells: &Cells<'_>,
        me: Role,
        state: &mut State,
        key: (At, i64),
        written: &[At],
    ) -> bool {
        match self.wherever.get(&key) {
            Some(Some(holds)) => {
                let mut holds = seen(cells, me, holds);
                written.iter().for_each(|&cell| holds.set(cell, cells.anything_in(&cells.shared[cell])));
                state.meet(&holds)
            }
            Some(None) => false,
            None => true,
        }
    }

    /// A step of a thread of this template has led to a state in which these shared cells may have changed.
    pub(crate) fn add(&mut self, cells: &Cells<'_>, by: Role, after: &State, written: &[At], how: &Weakening<'_>) {
        let mut store = after.clone();
        store.keep_first(cells.shared.len());
        store.frames.clear();
        for (cell, value) in cells.shared.iter().zip(&mut store.cells) {
            if cell.known && cell.sort == Sort::Tid {
                *value = anonymous(cells, by, value);
            }
        }
        let numbers = std::mem::take(&mut self.numbers);
        let mut changes = weaken(&mut self.always, &store, &numbers, how);
        for (&(at, value), holds) in &mut self.wherever {
            if !store.cells[at].contains(value) {
                continue;
            }
            let mut there = store.clone();
            if !there.restrict(at, &Numbers::exactly(value)) {
                continue;
            }
            if !written.contains(&at) {
                // What was not written is as it was, and what was known of it is still so.
                let Some(before) = holds else { continue };
                let mut kept = before.clone();
                for &cell in written {
                    kept.set(cell, cells.anything_in(&cells.shared[cell]));
                }
                if !there.meet(&kept) {
                    continue;
                }
            }
            changes += weaken(holds, &there, &numbers, how);
        }
        self.numbers = numbers;
        self.changes += changes;
    }
}

/// How states are weakened: as little as possible at first, then so that it comes to an end.
pub(crate) struct Weakening<'a> {
    pub(crate) thresholds: &'a [i64],
    pub(crate) widen: bool,
}

/// Adds a state to what holds; 1 if that is news.
fn weaken(holds: &mut Option<State>, more: &State, numbers: &[At], how: &Weakening<'_>) -> u64 {
    let Some(before) = holds else {
        *holds = Some(more.clone());
        return 1;
    };
    if more.is_within(before) {
        return 0;
    }
    *before = match how.widen {
        true => before.widen(more, how.thresholds, numbers),
        false => before.join(more, numbers),
    };
    1
}

/// Threads as somebody sees them, as nobody in particular does.
pub(crate) fn anonymous(cells: &Cells<'_>, by: Role, threads: &Numbers) -> Numbers {
    let Some(few) = threads.few() else { return cells.all(&Sort::Tid) };
    let of = |thread: &i64| match *thread {
        ME => cells.thread(by).unwrap_or(OTHER),
        other => other,
    };
    Numbers::listed(few.iter().map(of).collect())
}

/// Threads as nobody in particular sees them, as somebody does.
pub(crate) fn seen_threads(cells: &Cells<'_>, me: Role, threads: &Numbers) -> Numbers {
    let Some(few) = threads.few() else { return cells.all(&Sort::Tid) };
    let of = |thread: &i64| match *thread {
        OTHER if cells.thread(me).is_none() => vec![ME, OTHER],
        NONE | OTHER => vec![*thread],
        named => vec![cells.seen_by(me, named)],
    };
    Numbers::listed(few.iter().flat_map(of).collect())
}

fn seen(cells: &Cells<'_>, me: Role, store: &State) -> State {
    let mut state = store.clone();
    for (cell, value) in cells.shared.iter().zip(&mut state.cells) {
        if cell.known && cell.sort == Sort::Tid {
            *value = seen_threads(cells, me, value);
        }
    }
    state
}
