//! What holds at each point of each thread, against what all threads write: FQ's rules R and G over abstract values.
//!
//! DIVERGENCE: where FQ infer what a thread guarantees as a relation between stores, the guarantee here is what threads
//! write, by who they are and what they know of locks and flags ([`Writes`]), and what holds of the store in between ([`Known`]).

use crate::assume::Reader;
use crate::cells::{Cells, Role};
use crate::expression::Eyes;
use crate::known::{Known, Weakening, anonymous, seen_threads};
use crate::number::Numbers;
use crate::others::{Change, Writes, circumstances};
use crate::state::{At, State};
use crate::step::{Ends, Inner, Walker, Written};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use threadwise_ir::{Copies, Expr, ExprKind, Initial, Point, RoutineId, SharedId, Sort};
use threadwise_limits::{Budget, Limit};
use threadwise_source::Span;

/// A point is joined so often before it is widened.
const PATIENCE: u32 = 3;

/// In so many rounds what everybody knows is joined; then it is widened, and then widened to few thresholds.
const JOINED_ROUNDS: u64 = 3;
const WIDENED_ROUNDS: u64 = 12;

/// More rounds than this do not happen: all bounds are infinite by then.
const MAX_ROUNDS: u64 = 60;

/// More states than this are not kept apart at one point.
const MANY_STATES: usize = 12;

/// A state that is known at a point, one of several.
pub(crate) struct Here {
    pub(crate) role: Role,
    pub(crate) point: Point,
    pub(crate) state: State,
    /// It has become a part of another one.
    pub(crate) is_gone: bool,
    visits: u32,
}

/// The states at a point.
#[derive(Default)]
struct Place {
    /// Their numbers.
    states: Vec<usize>,
    /// They are no longer kept apart.
    is_one: bool,
}

pub(crate) struct Analysis<'a> {
    pub(crate) cells: &'a Cells<'a>,
    pub(crate) known: Known,
    pub(crate) writes: Writes,
    pub(crate) here: Vec<Here>,
    at: FxHashMap<(Role, Point), Place>,
    /// The flags by which states are kept apart.
    flags: Vec<At>,
    queue: VecDeque<usize>,
    is_queued: Vec<bool>,
    thresholds: Vec<i64>,
    /// A declaration at the start of a thread that may go wrong.
    pub(crate) wrong_start: Option<Span>,
    pub(crate) rounds: u64,
    budget: &'a Budget,
}

/// Why nothing came of it.
pub(crate) enum Stop {
    Limit(Limit),
    /// This step is too long.
    TooLong(Span),
    /// It does not come to an end.
    Endless,
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        Stop::Limit(limit)
    }
}

impl<'a> Analysis<'a> {
    pub(crate) fn new(cells: &'a Cells<'a>, budget: &'a Budget) -> Analysis<'a> {
        Analysis {
            cells,
            known: Known::new(cells),
            writes: Writes::default(),
            here: Vec::new(),
            at: FxHashMap::default(),
            flags: cells.dividing_flags(),
            queue: VecDeque::new(),
            is_queued: Vec::new(),
            wrong_start: None,
            thresholds: thresholds(cells),
            rounds: 0,
            budget,
        }
    }

    /// How many points were reached.
    pub(crate) fn points(&self) -> usize {
        self.at.len()
    }

    /// The least of what is found to be closed under everybody's steps.
    pub(crate) fn run(&mut self) -> Result<(), Stop> {
        for store in self.initial_stores() {
            let all: Vec<At> = (0..self.cells.shared.len()).collect();
            self.known.add(self.cells, Role(0), &store, &all, &Weakening { thresholds: &[], widen: false });
            for role in self.cells.all_roles() {
                if self.cells.program.template(self.cells.template(role)).copies != Copies::Exactly(0) {
                    self.start(role, &store)?;
                }
            }
        }
        loop {
            self.rounds += 1;
            self.budget.report(|| format!("round {}, {} points", self.rounds, self.here.len()));
            let before = (self.known.changes, self.writes.changes);
            while let Some(index) = self.queue.pop_front() {
                self.is_queued[index] = false;
                self.visit(index)?;
            }
            if before == (self.known.changes, self.writes.changes) {
                return Ok(());
            }
            if self.rounds > MAX_ROUNDS {
                return Err(Stop::Endless);
            }
            self.disturb_all()?;
        }
    }

    /// The others may do more than was known.
    fn disturb_all(&mut self) -> Result<(), Stop> {
        for index in 0..self.here.len() {
            self.budget.check()?;
            let here = &self.here[index];
            if here.is_gone {
                continue;
            }
            let (role, point) = (here.role, here.point.clone());
            for state in self.writes.disturb(self.cells, role, here.state.clone(), self.apart(role, &point)) {
                self.join(role, point.clone(), state);
            }
            self.enqueue(index);
        }
        Ok(())
    }

    /// The flags by which states at a point are kept apart.
    fn apart(&self, role: Role, point: &Point) -> &[At] {
        match self.at.get(&(role, point.clone())) {
            Some(place) if place.is_one => &[],
            Some(_) | None => &self.flags,
        }
    }

    fn enqueue(&mut self, index: usize) {
        if !std::mem::replace(&mut self.is_queued[index], true) {
            self.queue.push_back(index);
        }
    }

    fn initial_stores(&self) -> Vec<State> {
        let program = self.cells.program;
        let mut state = State::new(self.cells.shared.iter().map(|cell| self.cells.default_of(cell)).collect());
        state.frames.push(self.cells.shared.len());
        let reader = Reader { eyes: Eyes::new(self.cells, Role(0), RoutineId(0)), known: None, written: Vec::new() };
        for (var, index) in program.shared.iter().zip(0..) {
            let range = self.cells.of_shared(SharedId(index));
            let value = match &var.init {
                Initial::Default => continue,
                Initial::Value(e) if range.len() == 1 && self.cells.shared[range.start].known => {
                    Some(reader.eyes.value(&state, e, &[]))
                }
                Initial::Value(_) | Initial::Any => None,
            };
            for at in range {
                let cell = &self.cells.shared[at];
                let all = self.cells.anything_in(cell);
                state.cells[at] = value.as_ref().map_or(all.clone(), |value| value.meet(&all));
            }
        }
        let mut states = program.init.iter().fold(vec![state], |states, e| reader.assume_all(states, e, true, &[]));
        states.iter_mut().for_each(|state| self.see(state, |threads| anonymous(self.cells, Role(0), threads)));
        states
    }

    /// Looks at the threads in a store with other eyes.
    fn see(&self, store: &mut State, eyes: impl Fn(&Numbers) -> Numbers) {
        for (cell, value) in self.cells.shared.iter().zip(&mut store.cells) {
            if cell.known && cell.sort == Sort::Tid {
                *value = eyes(value);
            }
        }
    }

    fn walker(&self, me: Role) -> Walker<'_> {
        Walker { cells: self.cells, known: &self.known, me, budget: self.budget }
    }

    fn start(&mut self, me: Role, store: &State) -> Result<(), Stop> {
        let mut store = store.clone();
        self.see(&mut store, |threads| seen_threads(self.cells, me, threads));
        let ends = self.walker(me).start(store)?;
        self.wrong_start = self.wrong_start.or(ends.faults.first().copied());
        self.arrive(me, ends)
    }

    /// What a thread knows at a point, with what always holds.
    pub(crate) fn full(&self, here: &Here) -> Option<State> {
        let mut state = here.state.clone();
        self.known.meet_always(self.cells, here.role, &mut state).then_some(state)
    }

    /// The step from a point.
    pub(crate) fn step(&self, here: &Here) -> Result<Ends, Limit> {
        match self.full(here) {
            Some(state) => self.walker(here.role).step(&here.point, state),
            None => Ok(Ends::default()),
        }
    }

    fn visit(&mut self, index: usize) -> Result<(), Stop> {
        if self.here[index].is_gone {
            return Ok(());
        }
        let ends = self.step(&self.here[index])?;
        self.arrive(self.here[index].role, ends)
    }

    fn arrive(&mut self, me: Role, ends: Ends) -> Result<(), Stop> {
        if let Some(span) = ends.too_long {
            return Err(Stop::TooLong(span));
        }
        for inner in ends.rests {
            self.publish(me, &inner);
            let Inner { point, state, .. } = inner;
            for state in self.writes.disturb(self.cells, me, state, self.apart(me, &point)) {
                self.join(me, point.clone(), state);
            }
        }
        Ok(())
    }

    /// Tells the others what a step has written.
    fn publish(&mut self, me: Role, inner: &Inner) {
        if inner.written.is_empty() {
            return;
        }
        let before = |at: At| {
            let written = inner.written.iter().find(|written| written.at == at);
            written.map_or_else(|| inner.state.cells[at].clone(), |written| written.before.clone())
        };
        let when = circumstances(self.cells, before);
        let written: Vec<At> = inner.written.iter().map(|written| written.at).collect();
        let few = few_thresholds(&self.thresholds);
        let thresholds = if self.rounds > WIDENED_ROUNDS { &few } else { &self.thresholds };
        let how = Weakening { thresholds, widen: self.rounds > JOINED_ROUNDS };
        for &Written { at, up, down, .. } in inner.written.iter().filter(|it| self.cells.shared[it.at].known) {
            // Thread identities are not in an order.
            let is_number = self.cells.shared[at].sort.is_integer();
            let change = Change { value: inner.state.cells[at].clone(), up: up && is_number, down: down && is_number };
            self.writes.add(me, when.clone(), at, &change, &how);
        }
        self.known.add(self.cells, me, &inner.state, &written, &how);
    }

    fn join(&mut self, role: Role, point: Point, state: State) {
        let place = self.at.entry((role, point.clone())).or_default();
        let flags = if place.is_one { &[][..] } else { &self.flags };
        let agrees = |other: &State| flags.iter().all(|at| other.cells[*at] == state.cells[*at]);
        if let Some(&index) = place.states.iter().find(|index| agrees(&self.here[**index].state)) {
            return self.join_into(index, &state);
        }
        let index = self.here.len();
        place.states.push(index);
        self.here.push(Here { role, point, state, is_gone: false, visits: 0 });
        self.is_queued.push(false);
        self.enqueue(index);
        let place = self.at.get_mut(&(self.here[index].role, self.here[index].point.clone()));
        if let Some(place) = place.filter(|place| place.states.len() > MANY_STATES) {
            place.is_one = true;
            let others = place.states.split_off(1);
            let first = place.states[0];
            for other in others {
                self.here[other].is_gone = true;
                let state = self.here[other].state.clone();
                self.join_into(first, &state);
            }
        }
    }

    fn join_into(&mut self, index: usize, state: &State) {
        let here = &mut self.here[index];
        if state.is_within(&here.state) {
            return;
        }
        here.visits += 1;
        let numbers = self.cells.numbers_at(&here.point);
        let moved = here.state.moved_together(state, &|at: At| numbers[at]);
        let few = few_thresholds(&self.thresholds);
        here.state = match here.visits {
            0..=PATIENCE => here.state.join(state, &moved),
            4..=40 => here.state.widen(state, &self.thresholds, &[]),
            _ => here.state.widen(state, &few, &[]),
        };
        self.enqueue(index);
    }
}

/// Bounds that are worth a try: the program's numbers and their neighbours.
fn thresholds(cells: &Cells<'_>) -> Vec<i64> {
    let mut found = vec![-1, 0, 1];
    cells.program.walk_expressions(&mut |e: &Expr| {
        if let ExprKind::Const(word) = e.kind
            && e.sort.is_integer()
        {
            found.extend([word.saturating_sub(1), word, word.saturating_add(1)]);
        }
    });
    let sorts = cells.shared.iter().map(|cell| &cell.sort);
    for sort in sorts {
        let all: Numbers = cells.all(sort);
        found.extend([all.low(), all.high()]);
    }
    found.retain(|&n| n != i64::MIN && n != i64::MAX);
    found.sort_unstable();
    found.dedup();
    found
}

/// The few bounds that are left when there is no more patience.
fn few_thresholds(all: &[i64]) -> Vec<i64> {
    let keep = [-1, 0, 1, i64::from(i32::MIN), i64::from(i32::MAX), i64::from(u32::MAX)];
    all.iter().copied().filter(|n| keep.contains(n)).collect()
}
