//! Random executions.
//!
//! With priorities (PCT, Burckhardt and others 2010): the enabled thread with the highest priority runs, and at a few
//! random moments the one that runs falls behind all others. An error that needs `d` such moments is found in a run of `k`
//! steps of `n` threads with a chance of `1 / (n k^(d-1))` at least, however large the state space is. And without: at
//! every step another thread may get its turn. One execution is not random: all go in step.

use crate::dice::Dice;
use crate::execution::{Execution, Move};
use crate::machine::Machine;
use crate::places::Places;
use rustc_hash::FxHashMap;
use threadwise_ir::LocationId;
use threadwise_limits::{Budget, Limit};

/// How many steps are taken between two looks at the budget.
const STEPS_PER_CHECK: usize = 1 << 8;

/// More moments than these at which a thread falls behind are not tried.
const MOST_CHANGES: usize = 6;

/// Who runs next.
pub(crate) enum Policy {
    Priorities {
        /// The threads, that with the highest priority first.
        order: Vec<usize>,
        /// After how many steps the one that runs falls behind, the last moment first.
        changes: Vec<usize>,
    },
    /// Another thread gets its turn once in so many steps.
    Turns(usize),
    /// All take one step each, again and again, in the order of their numbers: threads that each take something and
    /// then wait for another one's, like philosophers for forks, come to that at once, however many they are. The one who is next.
    InStep(usize),
}

impl Policy {
    /// Priorities for a run of about so many steps.
    pub(crate) fn priorities(threads: usize, steps: usize, dice: &mut Dice) -> Policy {
        let mut order: Vec<usize> = (0..threads).collect();
        dice.shuffle(&mut order);
        let many = dice.below(MOST_CHANGES + 1);
        let mut changes: Vec<usize> = (0..many).map(|_| dice.below(steps.max(1))).collect();
        changes.sort_unstable_by(|a, b| b.cmp(a));
        Policy::Priorities { order, changes }
    }
}

pub(crate) struct Walk<'m, 'a> {
    pub(crate) machine: &'m mut Machine<'a>,
    places: &'m mut Places,
    /// The execution that it goes on from.
    before: Option<usize>,
    start: Vec<u32>,
    row: Vec<u32>,
    moves: Vec<Move>,
    /// How often it has been at each location.
    visits: FxHashMap<LocationId, u32>,
    /// Who moved last.
    mover: Option<usize>,
    /// Where that thread was a while ago, and for how many steps this is kept in mind.
    landmark: ((u32, u32), usize, usize),
    successors: Vec<(u32, u32)>,
}

impl<'m, 'a> Walk<'m, 'a> {
    /// A walk that goes on from an execution, or starts anew.
    pub(crate) fn new(
        machine: &'m mut Machine<'a>,
        places: &'m mut Places,
        before: Option<usize>,
        start: &[u32],
    ) -> Walk<'m, 'a> {
        let (start, row) = match before.map(|before| places.get(before)) {
            Some(kept) => (kept.start().to_vec(), kept.row.clone()),
            None => (start.to_vec(), start.to_vec()),
        };
        Walk {
            machine,
            places,
            before,
            start,
            row,
            moves: Vec::new(),
            visits: FxHashMap::default(),
            mover: None,
            landmark: ((0, 0), 0, 1),
            successors: Vec::new(),
        }
    }

    /// How many steps it has taken.
    pub(crate) fn len(&self) -> usize {
        self.moves.len()
    }

    /// Runs until a state is in error, which is told, or no thread can take a step, or so many steps have been taken.
    pub(crate) fn run(
        &mut self,
        mut policy: Policy,
        most_steps: usize,
        dice: &mut Dice,
        budget: &Budget,
    ) -> Result<Option<Execution>, Limit> {
        let mut wrong = self.machine.is_wrong(&self.row);
        while !wrong && self.moves.len() < most_steps {
            if self.moves.len().is_multiple_of(STEPS_PER_CHECK) {
                budget.check_for(self.machine.tables.growth())?;
            }
            let Some(thread) = self.choose(&mut policy, dice) else { return Ok(None) };
            self.take_step(thread, dice);
            if self.goes_in_circles(thread) {
                fall_behind(&mut policy, thread);
                self.mover = None;
            }
            self.note_place(thread);
            wrong = self.machine.is_wrong_after(&self.row, thread);
        }
        Ok(wrong.then(|| self.execution()))
    }

    fn execution(&self) -> Execution {
        let (start, mut moves) = match self.before {
            Some(before) => self.places.whole(before),
            None => (self.start.clone(), Vec::new()),
        };
        moves.extend(&self.moves);
        Execution { start, moves, preemptions: u32::MAX }
    }

    /// Keeps the execution if it has come somewhere first.
    fn note_place(&mut self, thread: usize) {
        let location = self.machine.location(&self.row, thread);
        let times = self.visits.entry(location).or_default();
        *times += 1;
        if self.places.is_new(location, *times) {
            self.places.keep(self.before, &self.moves, &self.row, &self.start);
        }
    }

    fn choose(&mut self, policy: &mut Policy, dice: &mut Dice) -> Option<usize> {
        match policy {
            Policy::Priorities { order, changes } => {
                while changes.last().is_some_and(|&moment| moment <= self.moves.len()) {
                    changes.pop();
                    if let Some(thread) = self.mover {
                        put_last(order, thread);
                    }
                }
                order.iter().copied().find(|&thread| self.machine.is_enabled(&self.row, thread))
            }
            Policy::Turns(times) => {
                let stays =
                    |thread: &usize| !(dice.once_in(*times) && self.machine.is_worth_stopping(&self.row, *thread));
                match self.mover.filter(stays) {
                    Some(thread) if self.machine.is_enabled(&self.row, thread) => Some(thread),
                    _ => self.anybody(dice),
                }
            }
            Policy::InStep(next) => {
                let thread = self.next_after(*next)?;
                *next = thread + 1;
                Some(thread)
            }
        }
    }

    fn anybody(&mut self, dice: &mut Dice) -> Option<usize> {
        let threads = self.machine.threads();
        if threads == 0 {
            return None;
        }
        self.next_after(dice.below(threads))
    }

    /// The first thread that can take a step, beginning with this one.
    fn next_after(&mut self, first: usize) -> Option<usize> {
        let threads = self.machine.threads();
        (first..first + threads).map(|i| i % threads).find(|&thread| self.machine.is_enabled(&self.row, thread))
    }

    fn take_step(&mut self, thread: usize, dice: &mut Dice) {
        self.machine.successors(&self.row, thread, &mut self.successors);
        let outcomes = self.successors.len();
        let choice = if outcomes == 1 { 0 } else { dice.below(outcomes) };
        (self.row[0], self.row[thread + 1]) = self.successors[choice];
        self.moves.push(Move { thread: thread as u32, choice: choice as u32 });
        if self.mover != Some(thread) {
            self.landmark = ((0, 0), 0, 1);
        }
        self.mover = Some(thread);
    }

    /// Whether the thread has come back to where it was, without another one's doing: it waits in its own way.
    fn goes_in_circles(&mut self, thread: usize) -> bool {
        let here = (self.row[0], self.row[thread + 1]);
        let (place, age, most) = &mut self.landmark;
        if *age > 0 && *place == here {
            self.landmark = ((0, 0), 0, 1);
            return true;
        }
        *age += 1;
        if *age > *most || *age == 1 {
            (*place, *age, *most) = (here, 1, *most * 2);
        }
        false
    }
}

fn fall_behind(policy: &mut Policy, thread: usize) {
    match policy {
        Policy::Priorities { order, .. } => put_last(order, thread),
        Policy::Turns(_) | Policy::InStep(_) => {}
    }
}

fn put_last(order: &mut Vec<usize>, thread: usize) {
    order.retain(|&other| other != thread);
    order.push(thread);
}
