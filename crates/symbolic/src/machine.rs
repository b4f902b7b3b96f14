//! Machine integers as numbers between their bounds.
//!
//! Sums, differences and negations wrap around at most once, so that they are linear with a case distinction; all else
//! is brought back by a remainder. Solvers are as quick with these as with bit-vectors, and what looks for linear
//! invariants finds some. Bit operations with constants are quotients and remainders too; those of two variables are
//! done with bit-vectors where the layout has them.

use crate::{Layout, Population};
use threadwise_ir::{BinaryOp, Bits, Sort};
use threadwise_logic::{BitsOp, Constant, Term};

/// The machine integer as a number.
pub(crate) fn constant(bits: Bits, word: i64) -> Term {
    Term::number(bits.number(word))
}

/// The lowest bits of any number, as a number of the kind.
pub(crate) fn reduced(bits: Bits, term: &Term) -> Term {
    let half = if bits.signed { Term::number(1 << (bits.width - 1)) } else { Term::int(0) };
    lowest(&term.plus(&half), bits.width).minus(half)
}

/// The same of a number that is less than twice as far out as the numbers of the kind are.
pub(crate) fn wrapped_once(bits: Bits, term: &Term) -> Term {
    let ((least, most), count) = (bits.bounds(), Term::number(1 << bits.width));
    let (least, most) = (Term::number(least), Term::number(most));
    let not_above = term.le(most).ite(term, term.minus(&count));
    term.lt(least).ite(term.plus(count), not_above)
}

/// `floor(term / 2^count)`; the divisors that there are have 62 bits.
fn divided_by_power(term: &Term, count: u8) -> Term {
    match count.checked_sub(62) {
        None | Some(0) => term.div(Term::int(1 << count)),
        Some(rest) => term.div(Term::int(1 << 62)).div(Term::int(1 << rest)),
    }
}

fn times_power(term: &Term, count: u8) -> Term {
    match count.checked_sub(62) {
        None | Some(0) => term.times(1 << count),
        Some(rest) => term.times(1 << 62).times(1 << rest),
    }
}

/// The lowest so many bits, as a number without a sign.
fn lowest(term: &Term, count: u8) -> Term {
    match count {
        0..=62 => term.modulo(Term::int(1 << count)),
        _ => term.minus(times_power(&divided_by_power(term, count), count)),
    }
}

/// A number as one of another sort, given the sort that it is of.
pub(crate) fn converted(term: &Term, from: &Sort, to: &Sort) -> Term {
    let Some(kind) = to.bits() else { return term.clone() };
    let (least, most) = kind.bounds();
    let fits = match from {
        Sort::Bits(from) => least <= from.bounds().0 && from.bounds().1 <= most,
        Sort::Range(lo, hi) => least <= i128::from(*lo) && i128::from(*hi) <= most,
        Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Tid | Sort::Set(_) | Sort::Array(..) => false,
    };
    if fits { term.clone() } else { reduced(kind, term) }
}

/// All bits the other way round: the number that is as far from the one end as this is from the other.
pub(crate) fn complement(bits: Bits, term: &Term) -> Term {
    let (least, most) = bits.bounds();
    Term::number(least + most).minus(term)
}

impl Population {
    /// The value of an operator on two machine integers, where it has one. `None` where there is no formula for it.
    pub(crate) fn machine_operation(&self, op: BinaryOp, bits: Bits, a: &Term, b: &Term) -> Option<Term> {
        Some(match op {
            BinaryOp::Add => wrapped_once(bits, &a.plus(b)),
            BinaryOp::Sub => wrapped_once(bits, &a.minus(b)),
            BinaryOp::Mul => reduced(bits, &a.product(b)),
            BinaryOp::Div | BinaryOp::Mod => return self.machine_division(op, bits, a, b),
            BinaryOp::BitAnd => self.both(bits, a, b)?,
            // Of each pair of bits, the sum has those of `and` twice.
            BinaryOp::BitOr => a.plus(b).minus(self.both(bits, a, b)?),
            BinaryOp::BitXor => a.plus(b).minus(self.both(bits, a, b)?.times(2)),
            BinaryOp::Shl => shifted(bits, b, Term::int(0), |count| reduced(bits, &times_power(a, count))),
            BinaryOp::Shr => {
                let by = |count| divided_by_power(a, count);
                shifted(bits, b, if bits.signed { by(bits.width - 1) } else { Term::int(0) }, by)
            }
            BinaryOp::Lt => a.lt(b),
            BinaryOp::Le => a.le(b),
            BinaryOp::Gt => b.lt(a),
            BinaryOp::Ge => b.le(a),
            BinaryOp::Eq => a.equals(b),
            BinaryOp::Ne => a.equals(b).not(),
            BinaryOp::Implies
            | BinaryOp::Iff
            | BinaryOp::Or
            | BinaryOp::And
            | BinaryOp::In
            | BinaryOp::Subset
            | BinaryOp::Union
            | BinaryOp::Inter
            | BinaryOp::Minus => unreachable!("no operator on machine integers"),
        })
    }

    /// The quotient, rounded toward zero, or the remainder that goes with it.
    fn machine_division(&self, op: BinaryOp, bits: Bits, a: &Term, b: &Term) -> Option<Term> {
        let rounded_down = |a: &Term, b: &Term| if op == BinaryOp::Div { a.div(b) } else { a.modulo(b) };
        let (by, sign) = match (b.as_int().and_then(i64::checked_abs), self.layout) {
            // There is no value, so any will do.
            (Some(0), _) => return Some(Term::int(0)),
            (Some(size), _) => (Term::int(size), if b.as_int() < Some(0) { -1 } else { 1 }),
            (None, Layout::Arrays) => (b.clone(), 1),
            (None, Layout::Unrolled) => return None,
        };
        let sign = if op == BinaryOp::Div { sign } else { 1 };
        if !bits.signed {
            return Some(rounded_down(a, &by));
        }
        let of_negative = rounded_down(&a.negate(), &by).negate();
        let result = a.lt(Term::int(0)).ite(of_negative, rounded_down(a, &by)).times(sign);
        // The least number divided by -1 is too large by one.
        Some(if op == BinaryOp::Div { wrapped_once(bits, &result) } else { result })
    }

    /// `a & b`
    fn both(&self, bits: Bits, a: &Term, b: &Term) -> Option<Term> {
        match (known(a), known(b), self.layout) {
            (_, Some(mask), _) => Some(masked(a, mask)),
            (Some(mask), None, _) => Some(masked(b, mask)),
            (None, None, Layout::Arrays) => {
                let width = u32::from(bits.width);
                let vector = |term: &Term| Term::operation(BitsOp::FromInt(width), [term]);
                let both = Term::operation(BitsOp::And, [vector(a), vector(b)]);
                let number = Term::operation(BitsOp::ToInt, [both]);
                Some(if bits.signed { reduced(bits, &number) } else { number })
            }
            (None, None, Layout::Unrolled) => None,
        }
    }
}

/// An operation on the bits of integers that have as many as they need, where one operand is a constant.
pub(crate) fn integer_operation(op: BinaryOp, a: &Term, b: &Term) -> Option<Term> {
    let known_mask = |term| known(term).filter(|mask| i64::try_from(*mask).is_ok());
    let both = || match (known_mask(a), known_mask(b)) {
        (_, Some(mask)) => Some(masked(a, mask)),
        (Some(mask), None) => Some(masked(b, mask)),
        (None, None) => None,
    };
    let count = || known(b).and_then(|count| u8::try_from(count).ok()).filter(|count| *count <= 124);
    Some(match op {
        BinaryOp::BitAnd => both()?,
        BinaryOp::BitOr => a.plus(b).minus(both()?),
        BinaryOp::BitXor => a.plus(b).minus(both()?.times(2)),
        BinaryOp::Shl => times_power(a, count()?),
        _ => divided_by_power(a, count()?),
    })
}

/// The number that a term without variables is.
fn known(term: &Term) -> Option<i128> {
    match term.evaluate(&|_| None)? {
        Constant::Int(number) => Some(number),
        Constant::Bool(_) | Constant::Bits(_) => None,
    }
}

/// `term & mask`: the runs of ones in the mask, each cut out of the number. Of a negative mask, all but those of its
/// complement.
fn masked(term: &Term, mask: i128) -> Term {
    if mask < 0 {
        return term.minus(masked(term, !mask));
    }
    let (mut sum, mut rest, mut start) = (Term::int(0), mask as u128, 0);
    while rest != 0 {
        let zeros = rest.trailing_zeros();
        let ones = (rest >> zeros).trailing_ones();
        start += zeros as u8;
        sum = sum.plus(times_power(&lowest(&divided_by_power(term, start), ones as u8), start));
        start += ones as u8;
        rest = rest >> zeros >> ones;
    }
    sum
}

/// A shift by a number that is not negative: one case for each count that leaves something.
fn shifted(bits: Bits, count: &Term, nothing_left: Term, by: impl Fn(u8) -> Term) -> Term {
    match known(count) {
        Some(count) => u8::try_from(count).ok().filter(|count| *count < bits.width).map_or(nothing_left, by),
        None => {
            (0..bits.width).rev().fold(nothing_left, |rest, n| count.equals(Term::int(i64::from(n))).ite(by(n), rest))
        }
    }
}
