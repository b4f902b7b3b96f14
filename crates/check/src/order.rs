//! Expressions whose evaluation never goes wrong.
//!
//! Of these the truth is all there is to know. Of others it matters in which order their parts are
//! evaluated, since evaluation stops where the rest does not matter: `exists i: W :: i@a || x / y == 1`
//! may go wrong or not depending on which copy of `W` is looked at first.
//!
//! Evaluation goes wrong at a division by zero, at a shift by a negative number, at an index or an element of the literal
//! of a set or an array that is not of the right sort, and at a number that outgrows 64 bits; machine integers wrap around. So it is enough to know between which numbers
//! the values of all parts lie. This is worked out here by itself: `ir` has a list of its own, which the
//! engines use, and a fault in one of them must not be one in both.

use threadwise_ir::{BinaryOp, Bits, Domain, Expr, ExprKind, Program, Quantifier, Sort, UnaryOp};

/// The least and the greatest number that a value can be.
type Interval = (i128, i128);

/// All numbers that the semantics computes with.
const WORDS: Interval = (i64::MIN as i128, i64::MAX as i128);

/// No set has more elements, no thread more copies, no type of a bound variable more values.
const COUNTS: Interval = (0, u32::MAX as i128);

/// Whether evaluation always gives a value. Errs on the side of `false`.
pub(crate) fn always_has_a_value(e: &Expr) -> bool {
    !e.any(&|part| !has_a_value(part))
}

/// Whether evaluation never runs into an error of the program. A number that outgrows 64 bits is none: it is a gap in
/// what is known of the program.
pub(crate) fn never_fails(e: &Expr) -> bool {
    !e.any(&|part| !has_a_value(part) && !only_outgrows_words(part))
}

/// Whether the one thing that can happen instead of a value is a number that outgrows 64 bits.
fn only_outgrows_words(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Unary(..) | ExprKind::Quantified(..) => true,
        ExprKind::Binary(op, _, b) => match op {
            BinaryOp::Div | BinaryOp::Mod => !contains(interval_of_part(b), 0),
            BinaryOp::Implies | BinaryOp::Iff | BinaryOp::Or | BinaryOp::And => true,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => true,
            BinaryOp::In | BinaryOp::Subset | BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus => true,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => true,
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => true,
            BinaryOp::Shl | BinaryOp::Shr => is_count(b),
        },
        ExprKind::Index(..) | ExprKind::SetLiteral(_) | ExprKind::ArrayLiteral(_) => false,
        ExprKind::Const(_)
        | ExprKind::Thread(_)
        | ExprKind::SelfThread
        | ExprKind::Read(_)
        | ExprKind::ReadAfter(_)
        | ExprKind::LocalOf(..)
        | ExprKind::At(..)
        | ExprKind::Bound(_)
        | ExprKind::Conditional(..) => true,
    }
}

/// A quantifier over threads whose value may depend on the order in which threads are looked at.
pub(crate) fn depends_on_order(program: &Program) -> bool {
    let mut found = false;
    program.walk_expressions(&mut |e| {
        if let ExprKind::Quantified(_, binder, body) = &e.kind {
            found |= binder.domain.sort().mentions_tid() && !always_has_a_value(body);
        }
    });
    found
}

/// Whether there is a value if all parts have one.
fn has_a_value(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_)
        | ExprKind::Thread(_)
        | ExprKind::SelfThread
        | ExprKind::Read(_)
        | ExprKind::ReadAfter(_)
        | ExprKind::LocalOf(..)
        | ExprKind::At(..)
        | ExprKind::Bound(_)
        | ExprKind::Conditional(..) => true,
        ExprKind::Unary(op, _) => match op {
            UnaryOp::Not | UnaryOp::Size | UnaryOp::Ord | UnaryOp::BitNot => true,
            UnaryOp::Neg | UnaryOp::Convert => wraps_around(e) || fits_a_word(e),
        },
        ExprKind::Binary(op, a, b) => match op {
            BinaryOp::Implies | BinaryOp::Iff | BinaryOp::Or | BinaryOp::And => true,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => true,
            BinaryOp::In | BinaryOp::Subset | BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus => true,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => wraps_around(e) || fits_a_word(e),
            BinaryOp::Div | BinaryOp::Mod if wraps_around(e) => !contains(interval_of_part(b), 0),
            BinaryOp::Div | BinaryOp::Mod => divides(interval_of_part(a), interval_of_part(b)),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => true,
            BinaryOp::Shl if !wraps_around(e) => false,
            BinaryOp::Shl | BinaryOp::Shr => is_count(b),
        },
        ExprKind::Index(array, key) => match &*array.sort {
            Sort::Array(keys, _) => is_of(key, keys),
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) => {
                false
            }
        },
        ExprKind::SetLiteral(elements) => match &*e.sort {
            Sort::Set(of) => elements.iter().all(|element| is_of(element, of)),
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Array(..) => {
                false
            }
        },
        ExprKind::ArrayLiteral(elements) => match &*e.sort {
            Sort::Array(_, of) => elements.iter().all(|element| is_of(element, of)),
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) => {
                false
            }
        },
        ExprKind::Quantified(quantifier, ..) => match quantifier {
            Quantifier::Forall | Quantifier::Exists => true,
            Quantifier::Count => fits_a_word(e),
        },
    }
}

/// Whether the value is one of the scalar sort, of which it is but for its range.
pub(crate) fn is_of(e: &Expr, sort: &Sort) -> bool {
    match sort {
        Sort::Range(lo, hi) => within(interval(e), (i128::from(*lo), i128::from(*hi))),
        Sort::Bool | Sort::Int | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) | Sort::Array(..) => {
            *e.sort == *sort
        }
    }
}

/// Whether the value is a machine integer, which is brought back to its width whatever is computed.
fn wraps_around(e: &Expr) -> bool {
    matches!(*e.sort, Sort::Bits(_))
}

/// Whether a number by which is shifted is never negative.
fn is_count(e: &Expr) -> bool {
    interval_of_part(e).0 >= 0
}

fn fits_a_word(e: &Expr) -> bool {
    within(interval(e), WORDS)
}

/// Whether a division has a value: the one quotient that outgrows a word is that of the least number by -1.
fn divides(a: Interval, b: Interval) -> bool {
    !(contains(b, 0) || contains(a, WORDS.0) && contains(b, -1))
}

fn within(interval: Interval, bounds: Interval) -> bool {
    bounds.0 <= interval.0 && interval.1 <= bounds.1
}

fn contains(interval: Interval, value: i128) -> bool {
    interval.0 <= value && value <= interval.1
}

/// Between which numbers the value of an expression lies where all parts have values that fit into a word.
fn interval(e: &Expr) -> Interval {
    if let Sort::Bits(machine) = *e.sort {
        return match e.kind {
            ExprKind::Const(word) => machine_number(word, machine),
            _ => machine_numbers(machine),
        };
    }
    match &e.kind {
        ExprKind::Const(value) => (i128::from(*value), i128::from(*value)),
        ExprKind::Unary(op, a) => match op {
            UnaryOp::Neg => negated(interval_of_part(a)),
            UnaryOp::Size | UnaryOp::Ord => COUNTS,
            UnaryOp::Not => (0, 1),
            UnaryOp::Convert => interval_of_part(a),
            UnaryOp::BitNot => WORDS,
        },
        ExprKind::Binary(op, a, b) => operated(*op, interval_of_part(a), interval_of_part(b)),
        ExprKind::Conditional(parts) => hull(interval_of_part(&parts[1]), interval_of_part(&parts[2])),
        ExprKind::Quantified(Quantifier::Count, binder, body) => counted(&binder.domain, interval_of_part(body)),
        ExprKind::Quantified(Quantifier::Forall | Quantifier::Exists, ..) | ExprKind::At(..) => (0, 1),
        ExprKind::Thread(_)
        | ExprKind::SelfThread
        | ExprKind::Read(_)
        | ExprKind::ReadAfter(_)
        | ExprKind::LocalOf(..)
        | ExprKind::Bound(_)
        | ExprKind::Index(..)
        | ExprKind::SetLiteral(_)
        | ExprKind::ArrayLiteral(_) => values_of(&e.sort),
    }
}

/// What a part can be, given that it has a value.
fn interval_of_part(e: &Expr) -> Interval {
    let (lo, hi) = interval(e);
    if wraps_around(e) { (lo, hi) } else { (lo.max(WORDS.0), hi.min(WORDS.1)) }
}

/// All machine integers of a kind.
fn machine_numbers(kind: Bits) -> Interval {
    let count = 1i128 << kind.width;
    if kind.signed { (-count / 2, count / 2 - 1) } else { (0, count - 1) }
}

/// The one that a word stands for: an unsigned one of 64 bits is the bits of its word.
fn machine_number(word: i64, kind: Bits) -> Interval {
    let number = i128::from(word) + if word < 0 && !kind.signed { 1 << 64 } else { 0 };
    (number, number)
}

fn values_of(sort: &Sort) -> Interval {
    match sort {
        Sort::Bool => (0, 1),
        Sort::Range(lo, hi) => (i128::from(*lo), i128::from(*hi)),
        Sort::Int => WORDS,
        Sort::Bits(machine) => machine_numbers(*machine),
        Sort::Enum(_) | Sort::Tid => COUNTS,
        Sort::Set(_) | Sort::Array(..) => WORDS,
    }
}

fn operated(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    match op {
        BinaryOp::Add => (a.0 + b.0, a.1 + b.1),
        BinaryOp::Sub => (a.0 - b.1, a.1 - b.0),
        BinaryOp::Mul => {
            let products = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            products.into_iter().fold((products[0], products[0]), |all, product| hull(all, (product, product)))
        }
        // A quotient is no larger than what is divided, but for its sign; a remainder is smaller than the divisor,
        // and has its sign.
        BinaryOp::Div => hull(a, negated(a)),
        BinaryOp::Mod => hull((0, 0), (b.0 + 1, b.1 - 1)),
        BinaryOp::Implies
        | BinaryOp::Iff
        | BinaryOp::Or
        | BinaryOp::And
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::In
        | BinaryOp::Subset => (0, 1),
        BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus => WORDS,
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Shl | BinaryOp::Shr => WORDS,
    }
}

/// A sum of as many values of the body as the domain has, at most.
fn counted(domain: &Domain, body: Interval) -> Interval {
    let most = match domain {
        Domain::Sort(Sort::Range(lo, hi)) => i128::from(*hi) - i128::from(*lo) + 1,
        Domain::Sort(Sort::Bool) => 2,
        Domain::Sort(Sort::Bits(machine)) => 1 << machine.width,
        Domain::Sort(Sort::Int | Sort::Enum(_) | Sort::Tid | Sort::Set(_) | Sort::Array(..)) | Domain::Copies(_) => {
            COUNTS.1
        }
    };
    hull((0, 0), operated(BinaryOp::Mul, (0, most), body))
}

fn negated(interval: Interval) -> Interval {
    (-interval.1, -interval.0)
}

fn hull(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: i64) -> Expr {
        Expr::constant(value, Sort::Int, threadwise_source::Span::new(0, 0))
    }

    /// `a op b` always has a value just where the semantics gives it one, and its value lies where it should.
    #[test]
    fn operations_on_numbers() {
        let numbers = [0, 1, -1, 2, -3, 7, i64::MAX, i64::MIN, i64::MIN + 1, 1 << 40];
        let operators = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Mod];
        for (op, a, b) in operators.iter().flat_map(|op| numbers.map(|a| numbers.map(|b| (*op, a, b)))).flatten() {
            let e = Expr::binary(op, number(a), number(b), Sort::Int);
            let value = match op {
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Mul => a.checked_mul(b),
                BinaryOp::Div => a.checked_div(b).map(|q| if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }),
                _ => a.checked_rem(b).map(|r| if r != 0 && (r < 0) != (b < 0) { r + b } else { r }),
            };
            assert_eq!(always_has_a_value(&e), value.is_some(), "{a} {op:?} {b}");
            assert!(value.is_none_or(|value| contains(interval(&e), i128::from(value))), "{a} {op:?} {b}: {value:?}");
        }
    }
}
