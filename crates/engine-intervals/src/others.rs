//! What threads do to the shared cells, and what that makes of what another thread knows.

use crate::cells::{Cells, ME, NONE, OTHER, Role};
use crate::known::Weakening;
use crate::number::{LEAST, MOST, Numbers};
use crate::state::{At, State};
use std::collections::BTreeMap;
use threadwise_ir::Sort;

/// What somebody changes in which circumstances.
type Changes<'s> = (&'s (Role, Circumstances), &'s BTreeMap<At, Change>);

/// In which stores a thread does something: what it knows of the cells that tell who may do what, as it sees them.
pub(crate) type Circumstances = Vec<(At, Numbers)>;

/// What a cell may become, and whether it becomes no less, or no more, than it was.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) value: Numbers,
    pub(crate) up: bool,
    pub(crate) down: bool,
}

/// What threads may write, by who they are and under which circumstances.
#[derive(Default)]
pub(crate) struct Writes {
    of: BTreeMap<(Role, Circumstances), BTreeMap<At, Change>>,
    /// How often something was new.
    pub(crate) changes: u64,
}

impl Writes {
    pub(crate) fn add(&mut self, by: Role, when: Circumstances, cell: At, change: &Change, how: &Weakening<'_>) {
        let unknown = || Change { value: Numbers::nothing(), up: true, down: true };
        let known = self.of.entry((by, when)).or_default().entry(cell).or_insert_with(unknown);
        let (up, down) = (known.up && change.up, known.down && change.down);
        if change.value.is_within(&known.value) && (up, down) == (known.up, known.down) {
            return;
        }
        (known.up, known.down) = (up, down);
        known.value = match how.widen {
            true => known.value.widen(&change.value, how.thresholds),
            false => known.value.join(&change.value),
        };
        self.changes += 1;
    }

    /// What a thread knows after the others may have done something, or nothing. Stores in which one of these flags has
    /// become another one are kept apart.
    pub(crate) fn disturb(&self, cells: &Cells<'_>, me: Role, state: State, apart: &[At]) -> Vec<State> {
        let (mut open, mut done): (Vec<State>, Vec<State>) = (vec![state], Vec::new());
        while let Some(mut state) = open.pop() {
            let changed = self.disturb_once(cells, me, &mut state, apart);
            for other in changed {
                let is_known = |known: &&mut State| apart.iter().all(|at| known.cells[*at] == other.cells[*at]);
                match open.iter_mut().find(is_known) {
                    Some(known) if !other.is_within(known) => *known = known.join(&other, &[]),
                    Some(_) => {}
                    None => {
                        match done.iter().position(|known| apart.iter().all(|at| known.cells[*at] == other.cells[*at]))
                        {
                            Some(at) if !other.is_within(&done[at]) => {
                                let known = done.swap_remove(at);
                                open.push(known.join(&other, &[]));
                            }
                            Some(_) => {}
                            None => open.push(other),
                        }
                    }
                }
            }
            done.push(state);
        }
        done
    }

    /// Adds what the others may do without changing the flags; gives what is left where they change one.
    fn disturb_once(&self, cells: &Cells<'_>, me: Role, state: &mut State, apart: &[At]) -> Vec<State> {
        loop {
            let mut changed = false;
            for ((by, _), written) in self.possible(cells, me, state) {
                for (&cell, change) in written.iter().filter(|(cell, _)| !apart.contains(cell)) {
                    changed |= disturb_cell(cells, *by, me, state, cell, change);
                }
            }
            if !changed {
                break;
            }
        }
        let mut others = Vec::new();
        for ((by, _), written) in self.possible(cells, me, state) {
            for (&flag, change) in written.iter().filter(|(cell, _)| apart.contains(cell)) {
                let values = change.value.few().map(<[i64]>::to_vec).unwrap_or_default();
                for value in values.into_iter().filter(|value| !state.cells[flag].contains(*value)) {
                    let mut other = state.clone();
                    other.set(flag, Numbers::exactly(value));
                    for (&cell, change) in written.iter().filter(|(cell, _)| **cell != flag && apart.contains(cell)) {
                        disturb_cell(cells, *by, me, &mut other, cell, change);
                    }
                    others.push(other);
                }
            }
        }
        others
    }

    fn possible<'s>(&'s self, cells: &'s Cells<'_>, me: Role, state: &State) -> Vec<Changes<'s>> {
        let is_other = |by: Role| by != me || cells.thread(me).is_none();
        let possible = |by: Role, when: &Circumstances| is_other(by) && is_possible(cells, by, me, when, state);
        self.of.iter().filter(|((by, when), _)| possible(*by, when)).collect()
    }
}

/// A thread may have changed a cell; whether that is news.
fn disturb_cell(cells: &Cells<'_>, by: Role, me: Role, state: &mut State, cell: At, change: &Change) -> bool {
    let value = match cells.shared[cell].sort {
        Sort::Tid => across(cells, by, me, &change.value),
        _ => change.value.clone(),
    };
    // What becomes no less stays above its least value.
    let low = if change.up { state.cells[cell].low() } else { LEAST };
    let high = if change.down { state.cells[cell].high() } else { MOST };
    let value = value.meet(&Numbers::between(low, high));
    state.moved(cell, change.up, change.down);
    if value.is_within(&state.cells[cell]) {
        return false;
    }
    state.cells[cell] = state.cells[cell].join(&value);
    true
}

/// Whether another thread may be in these circumstances while this one knows what it knows.
fn is_possible(cells: &Cells<'_>, by: Role, me: Role, when: &Circumstances, state: &State) -> bool {
    when.iter().all(|(cell, value)| match cells.shared[*cell].sort {
        Sort::Tid => across(cells, by, me, value).meets(&state.cells[*cell]),
        _ => value.meets(&state.cells[*cell]),
    })
}

/// Threads as one thread sees them, as another one does.
fn across(cells: &Cells<'_>, by: Role, me: Role, threads: &Numbers) -> Numbers {
    let Some(few) = threads.few() else { return cells.all(&Sort::Tid) };
    let of = |thread: &i64| match *thread {
        NONE => vec![NONE],
        ME => vec![cells.thread(by).unwrap_or(OTHER)],
        OTHER if cells.thread(me).is_none() => vec![ME, OTHER],
        OTHER => vec![OTHER],
        third => vec![cells.seen_by(me, third)],
    };
    Numbers::listed(few.iter().flat_map(of).collect())
}

/// The circumstances of a step: what was known before it of the cells that tell who may do what.
pub(crate) fn circumstances(cells: &Cells<'_>, before: impl Fn(At) -> Numbers) -> Circumstances {
    let telling = cells.shared.iter().enumerate().filter(|(at, cell)| cell.sort == Sort::Tid || cells.is_flag(*at));
    let known = telling.filter(|(_, cell)| cell.known).map(|(at, cell)| (at, before(at), cell));
    let says_something = |value: &Numbers, sort: &Sort| match sort {
        Sort::Tid => value.few().is_some_and(|few| !few.contains(&OTHER) || !few.contains(&NONE)),
        _ => value.single().is_some(),
    };
    known.filter(|(_, value, cell)| says_something(value, &cell.sort)).map(|(at, value, _)| (at, value)).collect()
}
