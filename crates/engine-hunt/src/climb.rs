//! Search for extremes: of all states after so many steps those are kept in which a shared number is largest, or smallest,
//! and gone on from. A sum that grows only if threads take turns in one way is out of reach of few preemptions and of chance;
//! here every step of the way is visible.

use crate::dice::Dice;
use crate::execution::{Execution, Move};
use crate::machine::Machine;
use crate::starts::Starts;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::hash::BuildHasher;
use threadwise_ir::{SharedId, Sort};
use threadwise_limits::{Budget, Limit};

/// More shared numbers than these are not looked at one by one.
const MOST_NUMBERS: usize = 8;

/// What is to be as large as possible.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// The words of the shared store that are added up.
    words: Vec<usize>,
    /// Or as small as possible.
    downward: bool,
}

/// The goals for a program: all its shared numbers together, then each of them, upward and downward.
pub(crate) fn goals(machine: &Machine<'_>) -> Vec<Goal> {
    let instance = machine.instance;
    let variables = instance.program.shared.iter().enumerate();
    let numbers = variables.filter(|(_, var)| is_number(&var.sort));
    let words: Vec<usize> =
        numbers.map(|(id, _)| instance.shared_range(SharedId(id as u32)).start).take(MOST_NUMBERS).collect();
    let single = words.iter().map(|&word| vec![word]);
    let together = (words.len() > 1).then(|| words.clone());
    let both = |words: Vec<usize>| [false, true].map(|downward| Goal { words: words.clone(), downward });
    together.into_iter().chain(single).flat_map(both).collect()
}

/// Whether values of the sort can be far from each other.
fn is_number(sort: &Sort) -> bool {
    match sort {
        Sort::Int => true,
        Sort::Bits(bits) => bits.width > 1,
        Sort::Range(lo, hi) => hi.saturating_sub(*lo) > 2,
        Sort::Bool | Sort::Enum(_) | Sort::Tid | Sort::Set(_) | Sort::Array(..) => false,
    }
}

impl Goal {
    fn score(&self, machine: &Machine<'_>, row: &[u32]) -> i128 {
        let store = machine.tables.shared.get(row[0]);
        let sum: i128 = self.words.iter().map(|&word| i128::from(store[word])).sum();
        if self.downward { -sum } else { sum }
    }
}

/// How a state was come to.
#[derive(Clone, Copy)]
struct Come {
    before: usize,
    step: Move,
}

/// A state that is kept: how it was come to, if it is no start.
struct Kept {
    row: Vec<u32>,
    come: Option<usize>,
    start: usize,
}

/// How far to go.
#[derive(Clone, Copy)]
pub(crate) struct Reach {
    /// So many states are kept after each step.
    pub(crate) width: usize,
    pub(crate) steps: usize,
    /// The end of the work.
    pub(crate) work: u64,
}

const START: usize = usize::MAX;

/// Climbs towards a goal; tells of an error on the way.
pub(crate) fn climb(
    machine: &mut Machine<'_>,
    starts: &Starts,
    goal: &Goal,
    reach: Reach,
    dice: &mut Dice,
    budget: &Budget,
) -> Result<Option<Execution>, Limit> {
    let mut history: Vec<Come> = Vec::new();
    let mut seen: FxHashSet<u64> = FxHashSet::default();
    let kept = |(start, row): (usize, &Vec<u32>)| Kept { row: row.clone(), come: None, start };
    let mut beam: Vec<Kept> = starts.rows.iter().take(reach.width).enumerate().map(kept).collect();
    let mut successors = Vec::new();
    for _ in 0..reach.steps {
        budget.check_for(machine.tables.growth())?;
        let mut next: Vec<((i128, u64), Kept)> = Vec::new();
        for state in &beam {
            if machine.is_wrong(&state.row) {
                return Ok(Some(execution(starts, state, &history)));
            }
            for thread in 0..machine.threads() {
                machine.successors(&state.row, thread, &mut successors);
                for (choice, &(shared, local)) in successors.iter().enumerate() {
                    let mut row = state.row.clone();
                    (row[0], row[thread + 1]) = (shared, local);
                    if !seen.insert(FxBuildHasher.hash_one(&row)) {
                        continue;
                    }
                    let step = Move { thread: thread as u32, choice: choice as u32 };
                    history.push(Come { before: state.come.unwrap_or(START), step });
                    let score = (goal.score(machine, &row), dice.next());
                    next.push((score, Kept { row, come: Some(history.len() - 1), start: state.start }));
                }
            }
        }
        if next.is_empty() || machine.work >= reach.work {
            return Ok(None);
        }
        next.sort_unstable_by(|(a, _), (b, _)| b.cmp(a));
        next.truncate(reach.width);
        beam = next.into_iter().map(|(_, kept)| kept).collect();
    }
    Ok(None)
}

fn execution(starts: &Starts, state: &Kept, history: &[Come]) -> Execution {
    let mut moves = Vec::new();
    let mut at = state.come.unwrap_or(START);
    while at != START {
        moves.push(history[at].step);
        at = history[at].before;
    }
    moves.reverse();
    Execution { start: starts.rows[state.start].clone(), moves, preemptions: u32::MAX }
}
