//! What is known of the cells at one point: for each a set of numbers, and for some pairs how far they are apart.

use crate::number::{LEAST, MOST, Numbers, add_bounds};
use std::collections::BTreeMap;

/// Which cell a number differs from by a constant, if one is known.
pub(crate) type Distance = Option<(At, i64)>;

/// More differences than this are not kept in one state.
const MANY: usize = 400;

/// A cell by its place in the state.
pub(crate) type At = usize;

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct State {
    pub(crate) cells: Vec<Numbers>,
    /// For `(a, b)` a bound of `a - b`, where it is less than what the sets say.
    differences: BTreeMap<(At, At), i64>,
    /// Where the frames of the calls under way start, the thread's own first; none in what is known of the shared store.
    pub(crate) frames: Vec<At>,
}

impl State {
    pub(crate) fn new(cells: Vec<Numbers>) -> State {
        State { cells, differences: BTreeMap::new(), frames: Vec::new() }
    }

    pub(crate) fn differences(&self) -> impl Iterator<Item = (At, At, i64)> + '_ {
        self.differences.iter().map(|(&(a, b), &bound)| (a, b, bound))
    }

    /// What the sets say about `a - b`.
    fn apart(&self, a: At, b: At) -> i64 {
        match (self.cells[a].high(), self.cells[b].low()) {
            (MOST, _) | (_, LEAST) => MOST,
            (high, low) => high.saturating_sub(low),
        }
    }

    /// A bound of `a - b`; `MOST` if there is none.
    pub(crate) fn bound(&self, a: At, b: At) -> i64 {
        let kept = self.differences.get(&(a, b)).copied().unwrap_or(MOST);
        if a == b { 0 } else { kept.min(self.apart(a, b)) }
    }

    /// Forgets how a cell is related to others.
    pub(crate) fn unrelate(&mut self, cell: At) {
        self.differences.retain(|&(a, b), _| a != cell && b != cell);
    }

    /// The cell may have changed: it did not become less if it went `up`, and not more if it went `down`.
    pub(crate) fn moved(&mut self, cell: At, up: bool, down: bool) {
        self.differences.retain(|&(a, b), _| (a != cell || down) && (b != cell || up));
    }

    /// Gives a cell a value that has nothing to do with others.
    pub(crate) fn set(&mut self, cell: At, value: Numbers) {
        self.unrelate(cell);
        self.cells[cell] = value;
    }

    /// Gives cells values at once: each is a set, and may be another cell's value before, moved by so much.
    pub(crate) fn assign(&mut self, assigned: &[(At, Numbers, Distance)]) {
        let is_assigned = |cell: At| assigned.iter().any(|(target, ..)| *target == cell);
        let mut kept = Vec::new();
        for (target, _, source) in assigned {
            let Some((source, offset)) = *source else { continue };
            if source != *target && !is_assigned(source) {
                kept.extend([(*target, source, offset), (source, *target, -offset)]);
            }
            for (&(a, b), &bound) in &self.differences {
                if a == source && !is_assigned(b) {
                    kept.push((*target, b, add_bounds(bound, offset)));
                }
                if b == source && !is_assigned(a) {
                    kept.push((a, *target, add_bounds(bound, -offset)));
                }
            }
            for (second, _, other) in assigned {
                if let Some((other, moved)) = *other
                    && second != target
                    && (other == source || self.differences.contains_key(&(source, other)))
                {
                    kept.push((*target, *second, add_bounds(self.bound(source, other), offset - moved)));
                }
            }
        }
        for (target, value, _) in assigned {
            self.set(*target, value.clone());
        }
        for (a, b, bound) in kept {
            self.keep(a, b, bound);
        }
    }

    /// Keeps a bound if it says something new.
    fn keep(&mut self, a: At, b: At, bound: i64) -> bool {
        if bound >= self.bound(a, b) || bound == LEAST || self.differences.len() >= MANY {
            return false;
        }
        self.differences.insert((a, b), bound);
        true
    }

    /// Only what has the cell in this set; `false` if nothing is left.
    pub(crate) fn restrict(&mut self, cell: At, set: &Numbers) -> bool {
        let value = self.cells[cell].meet(set);
        if value == self.cells[cell] {
            return true;
        }
        self.cells[cell] = value;
        let mut moved = vec![cell];
        let mut turns = 0;
        while let Some(cell) = moved.pop() {
            if self.cells[cell].is_nothing() {
                return false;
            }
            turns += 1;
            // Bounds that chase each other round a cycle of differences mean that there is nothing, which may take long.
            if turns > 2 * self.cells.len() {
                break;
            }
            let (low, high) = (self.cells[cell].low(), self.cells[cell].high());
            let mut changes = Vec::new();
            for (&(a, b), &bound) in &self.differences {
                if a == cell && low != LEAST {
                    changes.push((b, Numbers::between(low.saturating_sub(bound), MOST)));
                }
                if b == cell && high != MOST {
                    changes.push((a, Numbers::between(LEAST, add_bounds(high, bound))));
                }
            }
            for (other, set) in changes {
                let value = self.cells[other].meet(&set);
                if value != self.cells[other] {
                    self.cells[other] = value;
                    moved.push(other);
                }
            }
        }
        true
    }

    /// Only what has `a - b` at most at a bound; `false` if nothing is left.
    pub(crate) fn relate(&mut self, a: At, b: At, bound: i64) -> bool {
        if a == b {
            return bound >= 0;
        }
        if add_bounds(self.bound(b, a), bound) < 0 {
            return false;
        }
        if !self.keep(a, b, bound) {
            return true;
        }
        let before: Vec<(At, i64)> = self.related(|(x, y)| (y == a && x != b).then_some(x));
        let after: Vec<(At, i64)> = self.related(|(x, y)| (x == b && y != a).then_some(y));
        for &(x, first) in &before {
            self.keep(x, b, add_bounds(first, bound));
            for &(y, second) in after.iter().filter(|(y, _)| *y != x) {
                self.keep(x, y, add_bounds(add_bounds(first, bound), second));
            }
        }
        for &(y, second) in &after {
            self.keep(a, y, add_bounds(bound, second));
        }
        let (low, high) = (self.cells[a].low(), self.cells[b].high());
        let at_least = if low == LEAST { LEAST } else { low.saturating_sub(bound) };
        self.restrict(b, &Numbers::between(at_least, MOST))
            && self.restrict(a, &Numbers::between(LEAST, add_bounds(high, bound)))
    }

    fn related(&self, other: impl Fn((At, At)) -> Option<At>) -> Vec<(At, i64)> {
        self.differences.iter().filter_map(|(&pair, &bound)| other(pair).map(|cell| (cell, bound))).collect()
    }

    /// What is in both; `false` if nothing is. The other one may have fewer cells.
    pub(crate) fn meet(&mut self, other: &State) -> bool {
        let cells = other.cells.iter().enumerate();
        cells.into_iter().all(|(cell, set)| self.restrict(cell, set))
            && other.differences().all(|(a, b, bound)| self.relate(a, b, bound))
    }

    /// What is in either. Of pairs of cells that nobody had related, those are looked at that `looked_at` says.
    pub(crate) fn join(&self, other: &State, looked_at: &[At]) -> State {
        let cells = self.cells.iter().zip(&other.cells).map(|(a, b)| if a == b { a.clone() } else { a.join(b) });
        let mut joined = State { cells: cells.collect(), differences: BTreeMap::new(), frames: self.frames.clone() };
        for &(a, b) in self.differences.keys().chain(other.differences.keys()) {
            joined.keep(a, b, self.bound(a, b).max(other.bound(a, b)));
        }
        for &a in looked_at {
            for &b in looked_at.iter().filter(|b| **b != a) {
                joined.keep(a, b, self.bound(a, b).max(other.bound(a, b)));
            }
        }
        joined
    }

    /// The cells that are not the same in both states: how far they are apart may be the same.
    pub(crate) fn moved_together(&self, other: &State, is_number: &dyn Fn(At) -> bool) -> Vec<At> {
        let both = self.cells.iter().zip(&other.cells).enumerate();
        let moved = both.filter(|(cell, (a, b))| a != b && is_number(*cell));
        let moved: Vec<At> = moved.map(|(cell, _)| cell).take(13).collect();
        if moved.len() > 12 { Vec::new() } else { moved }
    }

    /// A state with what is in either, such that chains of these end.
    pub(crate) fn widen(&self, next: &State, thresholds: &[i64], looked_at: &[At]) -> State {
        let joined = self.join(next, looked_at);
        let cells =
            self.cells.iter().zip(&next.cells).map(|(a, b)| if a == b { a.clone() } else { a.widen(b, thresholds) });
        let mut widened = State { cells: cells.collect(), differences: BTreeMap::new(), frames: self.frames.clone() };
        for (&(a, b), &bound) in &joined.differences {
            let before = self.bound(a, b);
            let at = thresholds.partition_point(|&threshold| threshold < bound);
            let next = if bound <= before { before } else { thresholds.get(at).copied().unwrap_or(MOST) };
            widened.keep(a, b, next);
        }
        widened
    }

    pub(crate) fn is_within(&self, other: &State) -> bool {
        self.cells.iter().zip(&other.cells).all(|(a, b)| a.is_within(b))
            && other.differences().all(|(a, b, bound)| self.bound(a, b) <= bound)
    }

    /// Adds a frame with these values.
    pub(crate) fn push_frame(&mut self, cells: impl IntoIterator<Item = Numbers>) {
        self.frames.push(self.cells.len());
        self.cells.extend(cells);
    }

    /// Forgets all cells from this one on.
    pub(crate) fn keep_first(&mut self, count: At) {
        self.cells.truncate(count);
        self.differences.retain(|&(a, b), _| a < count && b < count);
    }

    /// The running routine's frame.
    pub(crate) fn frame(&self) -> At {
        *self.frames.last().expect("a thread has a frame")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Store = [i64; 3];

    fn is_in(state: &State, store: &Store) -> bool {
        let differences = state.differences().all(|(a, b, bound)| store[a] - store[b] <= bound);
        differences && state.cells.iter().zip(store).all(|(set, number)| set.contains(*number))
    }

    /// Numbers that look random, the same in every run.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: u64) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((self.0 >> 33) % sides) as usize
        }

        fn number(&mut self) -> i64 {
            self.roll(9) as i64 - 4
        }
    }

    /// All stores of small numbers, and what is known of them.
    fn everything() -> (Vec<Store>, State) {
        let range = -3..=3;
        let pairs = range.clone().flat_map(|x| range.clone().map(move |y| (x, y)));
        let stores = pairs.flat_map(|(x, y)| range.clone().map(move |z| [x, y, z]));
        (stores.collect(), State::new(vec![Numbers::between(-3, 3); 3]))
    }

    /// Does the same to stores and to what is known of them.
    fn step(dice: &mut Dice, stores: &mut Vec<Store>, state: &mut State) {
        let (a, b, number) = (dice.roll(3), dice.roll(3), dice.number());
        match dice.roll(5) {
            0 => {
                let set = Numbers::between(number, number + 4).without(0);
                stores.retain(|store| set.contains(store[a]));
                assert!(state.restrict(a, &set) || stores.is_empty());
            }
            1 => {
                stores.retain(|store| store[a] - store[b] <= number);
                assert!(state.relate(a, b, number) || stores.is_empty());
            }
            2 => {
                stores.iter_mut().for_each(|store| store[a] = store[b] + number);
                state.assign(&[(a, state.cells[b].plus(number), Some((b, number)))]);
            }
            3 => {
                stores.iter_mut().for_each(|store| store.swap(a, b));
                let values = (state.cells[a].clone(), state.cells[b].clone());
                if a != b {
                    state.assign(&[(a, values.1, Some((b, 0))), (b, values.0, Some((a, 0)))]);
                }
            }
            _ => {
                stores.iter_mut().for_each(|store| store[a] += 1);
                let sum = state.cells[a].join(&state.cells[a].plus(1));
                state.moved(a, true, false);
                state.cells[a] = sum;
            }
        }
    }

    #[test]
    fn what_is_known_is_true_of_all_stores() {
        let mut dice = Dice(7);
        for _ in 0..2_000 {
            let (mut stores, mut state) = everything();
            let (mut others, mut other) = everything();
            for _ in 0..6 {
                step(&mut dice, &mut stores, &mut state);
                step(&mut dice, &mut others, &mut other);
                if stores.is_empty() || others.is_empty() {
                    break;
                }
            }
            if stores.is_empty() || others.is_empty() {
                continue;
            }
            assert!(stores.iter().all(|store| is_in(&state, store)), "{state:?}");
            let (joined, widened) = (state.join(&other, &[0, 1, 2]), state.widen(&other, &[-1, 0, 5], &[0, 1, 2]));
            for store in stores.iter().chain(&others) {
                assert!(is_in(&joined, store) && is_in(&widened, store), "{store:?} {state:?} {other:?}");
            }
            let mut met = state.clone();
            let is_something = met.meet(&other);
            let both = |store: &&Store| is_in(&state, store) && is_in(&other, store);
            assert!(stores.iter().filter(both).all(|store| is_something && is_in(&met, store)));
        }
    }
}
