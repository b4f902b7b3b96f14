//! Arithmetic on sets of numbers, of integers without a bound and of those that wrap around.

use crate::expression::Eyes;
use crate::number::{LEAST, MOST, Numbers};
use crate::state::{At, State};
use smallvec::SmallVec;
use threadwise_ir::{BinaryOp, Bits, Sort};

/// A pair of lists has at most so many combinations that are computed one by one.
const MANY_PAIRS: usize = 64;

impl Eyes<'_> {
    /// A number as one of another sort.
    pub(crate) fn converted(&self, value: &Numbers, sort: &Sort) -> Numbers {
        let Some(bits) = sort.bits() else { return value.clone() };
        if self.stays(value, sort) {
            return value.clone();
        }
        let wrapped = |n: &i64| i64::try_from(bits.number(bits.wrap(*n))).ok();
        match value.few().and_then(|few| few.iter().map(wrapped).collect::<Option<SmallVec<[i64; 2]>>>()) {
            Some(few) => Numbers::listed(few),
            None => self.cells.all(sort),
        }
    }

    /// Whether numbers are surely those of a sort, so that nothing wraps around.
    pub(crate) fn stays(&self, numbers: &Numbers, sort: &Sort) -> bool {
        let is_finite = || numbers.low() != LEAST && numbers.high() != MOST;
        let is_wide = |bits: Bits| bits.width == 64;
        numbers.is_within(&self.cells.all(sort)) && (!sort.bits().is_some_and(is_wide) || is_finite())
    }

    /// What is between two numbers that were computed without bounds, as one of a sort that may wrap around.
    fn fitted(&self, sort: &Sort, low: i128, high: i128) -> Numbers {
        match sort.bits() {
            Some(bits) if low < bits.bounds().0 || high > bits.bounds().1 => self.cells.all(sort),
            Some(_) | None => Numbers::between_wide(low, high),
        }
    }

    /// The difference of two sums, of which bounds may be known; it may wrap around.
    pub(crate) fn apart(&self, state: &State, x: (At, i64), y: (At, i64), all: Numbers, sort: &Sort) -> Numbers {
        let (above, below) = (difference(state, x, y), difference(state, y, x));
        let low = if below == MOST { LEAST } else { below.saturating_neg() };
        let exact = Numbers::between(low, above);
        match sort.bits() {
            None => all.meet(&exact),
            Some(_) if self.stays(&exact, sort) => exact,
            Some(_) => all,
        }
    }

    pub(crate) fn arithmetic(&self, op: BinaryOp, left: &Numbers, right: &Numbers, sort: &Sort) -> Numbers {
        if left.is_nothing() || right.is_nothing() {
            return Numbers::nothing();
        }
        let divides = matches!(op, BinaryOp::Div | BinaryOp::Mod);
        if divides && right.contains(0) {
            self.fault.set(true);
        }
        if let (Some(few), Some(others)) = (left.few(), right.few())
            && few.len() * others.len() <= MANY_PAIRS
        {
            let pairs = few.iter().flat_map(|&x| others.iter().map(move |&y| (x, y)));
            let results = pairs.filter(|&(_, y)| !divides || y != 0).map(|(x, y)| exact(op, x, y, sort.bits()));
            if let Some(results) = results.collect::<Option<SmallVec<[i64; 2]>>>() {
                return Numbers::listed(results);
            }
        }
        let (a, b) = (wide(left, sort), wide(right, sort));
        let is_infinite = |set: &Numbers| set.low() == LEAST || set.high() == MOST;
        match op {
            BinaryOp::Add => self.fitted(sort, sum(sort, a.0, b.0), sum(sort, a.1, b.1)),
            BinaryOp::Sub => self.fitted(sort, sum(sort, a.0, -b.1), sum(sort, a.1, -b.0)),
            BinaryOp::Mul if !is_infinite(left) && !is_infinite(right) => {
                let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
                let (low, high) = (corners.iter().min(), corners.iter().max());
                self.fitted(sort, *low.expect("four"), *high.expect("four"))
            }
            BinaryOp::Div if right.low() > 0 && left.low() >= 0 => Numbers::between(0, left.high()),
            BinaryOp::Mod if right.low() > 0 && right.high() != MOST && (left.low() >= 0 || sort.bits().is_none()) => {
                Numbers::between(0, right.high() - 1)
            }
            BinaryOp::BitAnd if right.low() >= 0 => Numbers::between(0, right.high()),
            BinaryOp::BitAnd if left.low() >= 0 => Numbers::between(0, left.high()),
            // What is computed with numbers of a range need not be in it.
            _ if sort.bits().is_none() => Numbers::anything(),
            _ => self.cells.all(sort),
        }
    }
}

/// A bound of the difference of two sums.
pub(crate) fn difference(state: &State, (x, c): (At, i64), (y, d): (At, i64)) -> i64 {
    match state.bound(x, y) {
        MOST => MOST,
        bound => (i128::from(bound) + i128::from(c) - i128::from(d)).clamp(i128::from(LEAST), i128::from(MOST)) as i64,
    }
}

/// The bounds of a set of numbers of a sort. What is infinite is as far out as numbers of the sort go.
fn wide(set: &Numbers, sort: &Sort) -> (i128, i128) {
    let (least, most) = sort.bits().map_or((i128::from(LEAST), i128::from(MOST)), Bits::bounds);
    let low = if set.low() == LEAST { least } else { i128::from(set.low()) };
    let high = if set.high() == MOST { most } else { i128::from(set.high()) };
    (low, high)
}

/// A sum of bounds. Of numbers that do not wrap around, infinite ones stay infinite.
fn sum(sort: &Sort, a: i128, b: i128) -> i128 {
    let (least, most) = (i128::from(LEAST), i128::from(MOST));
    match sort.bits() {
        Some(_) => a + b,
        None if a <= least || b <= least => least,
        None if a >= most || b >= most => most,
        None => a + b,
    }
}

/// What an operator gives for two numbers, if that is a number that can be listed.
fn exact(op: BinaryOp, x: i64, y: i64, bits: Option<Bits>) -> Option<i64> {
    let Some(bits) = bits else {
        return match op {
            BinaryOp::Add => x.checked_add(y),
            BinaryOp::Sub => x.checked_sub(y),
            BinaryOp::Mul => x.checked_mul(y),
            BinaryOp::Div => x.checked_div_euclid(y).filter(|_| y > 0),
            BinaryOp::Mod => x.checked_rem_euclid(y).filter(|_| y > 0),
            _ => None,
        };
    };
    let result = bits.operate(op, bits.word(i128::from(x))?, bits.word(i128::from(y))?)?;
    i64::try_from(bits.number(result)).ok()
}

pub(crate) fn shifted(bits: Bits, op: BinaryOp, x: i64, count: i64) -> Numbers {
    let word = bits.word(i128::from(x));
    let shifted = word.and_then(|word| match op {
        BinaryOp::Shl => bits.shifted_left(word, i128::from(count)),
        _ => bits.shifted_right(word, i128::from(count)),
    });
    match shifted {
        Some(word) => Numbers::exactly_wide(bits.number(word)),
        None => {
            let (least, most) = bits.bounds();
            Numbers::between_wide(least, most)
        }
    }
}
