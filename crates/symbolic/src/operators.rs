//! Operators on terms.

use crate::layout::Keys;
use crate::machine::integer_operation;
use crate::{Layout, Population, Value};
use threadwise_ir::{BinaryOp, Sort};
use threadwise_logic::{Connective, Term};

impl Population {
    /// The value of `a op b`, where it has one; `sort` is that of the sets, or of what is compared. `None` where the layout has no such operation.
    pub(crate) fn operate(&self, op: BinaryOp, sort: &Sort, a: &Value, b: &Value) -> Option<Value> {
        let number = |of: fn(&Term, &Term) -> Term| of(a.term(), b.term());
        Some(Value::scalar(match op {
            BinaryOp::Union => return Some(self.join(sort, Connective::Or, &[a, b])),
            BinaryOp::Inter => return Some(self.join(sort, Connective::And, &[a, b])),
            BinaryOp::Minus => {
                let complement = self.join(sort, Connective::Not, &[b]);
                return Some(self.join(sort, Connective::And, &[a, &complement]));
            }
            BinaryOp::Eq => self.equal(sort, a, b),
            BinaryOp::Ne => self.equal(sort, a, b).not(),
            BinaryOp::Subset => self.subset(sort, a, b),
            BinaryOp::In => {
                let Sort::Set(element) = sort else { unreachable!("membership is in a set") };
                self.member(&self.keys(element), b, a.term())
            }
            BinaryOp::Div | BinaryOp::Mod => return self.divided(op, a.term(), b.term()).map(Value::scalar),
            BinaryOp::Implies => number(|a, b| a.implies(b)),
            BinaryOp::Iff => number(|a, b| a.equals(b)),
            BinaryOp::Or => number(|a, b| a.or(b)),
            BinaryOp::And => number(|a, b| a.and(b)),
            BinaryOp::Lt => number(|a, b| a.lt(b)),
            BinaryOp::Le => number(|a, b| a.le(b)),
            BinaryOp::Gt => number(|a, b| b.lt(a)),
            BinaryOp::Ge => number(|a, b| b.le(a)),
            BinaryOp::Add => number(|a, b| a.plus(b)),
            BinaryOp::Sub => number(|a, b| a.minus(b)),
            BinaryOp::Mul => number(|a, b| a.product(b)),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Shl | BinaryOp::Shr => {
                return integer_operation(op, a.term(), b.term()).map(Value::scalar);
            }
        }))
    }

    /// The quotient or the remainder.
    fn divided(&self, op: BinaryOp, a: &Term, b: &Term) -> Option<Term> {
        let (quotient, remainder) = match (b.as_int(), self.layout) {
            (Some(divisor), _) => divided_by_number(a, divisor),
            (None, Layout::Arrays) => divided_by_term(a, b),
            (None, Layout::Unrolled) => return None,
        };
        Some(if op == BinaryOp::Div { quotient } else { remainder })
    }

    /// Sets combined element by element; whole arrays of the solver with its `map`.
    fn join(&self, sort: &Sort, connective: Connective, sets: &[&Value]) -> Value {
        let Sort::Set(element) = sort else { unreachable!("only sets are combined") };
        if let Keys::Many(..) | Keys::All = self.keys(element) {
            return Value::scalar(Term::map(connective, sets.iter().map(|set| set.term())));
        }
        let members = |rank: usize| sets.iter().map(move |set| &set.0[rank]);
        let each = |rank: usize| match connective {
            Connective::And => Term::all(members(rank)),
            Connective::Or => Term::any(members(rank)),
            Connective::Not => sets[0].0[rank].not(),
        };
        Value((0..sets[0].0.len()).map(each).collect())
    }

    fn subset(&self, sort: &Sort, a: &Value, b: &Value) -> Term {
        let Sort::Set(element) = sort else { unreachable!("subset is of sets") };
        self.for_each_key(&self.keys(element), &[a, b], "k", 0, &|parts| parts[0].term().implies(parts[1].term()))
    }
}

/// The quotient and the remainder. The language rounds toward negative infinity, and the remainder has the sign of the
/// divisor; SMT-LIB does so only where the divisor is positive.
fn divided_by_number(a: &Term, divisor: i64) -> (Term, Term) {
    if divisor == 0 {
        // There is no value, so any will do.
        return (Term::int(0), Term::int(0));
    }
    let (quotient, remainder) = divided_by_size(&a.times(divisor.signum()), divisor.unsigned_abs());
    (quotient, remainder.times(divisor.signum()))
}

/// The quotient and the remainder by a number that is at most 2^63.
fn divided_by_size(a: &Term, divisor: u64) -> (Term, Term) {
    match i64::try_from(divisor) {
        Ok(divisor) => (a.div(Term::int(divisor)), a.modulo(Term::int(divisor))),
        // 2^63 is no number of 64 bits with a sign, but its half is: rounding down twice is rounding down once.
        Err(_) => {
            let half = 1 << 62;
            let quotient = a.div(Term::int(half)).div(Term::int(2));
            let remainder = a.minus(quotient.times(half).times(2));
            (quotient, remainder)
        }
    }
}

fn divided_by_term(a: &Term, b: &Term) -> (Term, Term) {
    let is_positive = Term::int(0).lt(b);
    let (mirrored, by) = (a.negate(), b.negate());
    (is_positive.ite(a.div(b), mirrored.div(&by)), is_positive.ite(a.modulo(b), mirrored.modulo(&by).negate()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadwise_logic::{SmtSort, Var};

    /// Quotients are rounded down, and remainders are what is left, up to the largest divisor that there is.
    #[test]
    fn division_by_large_numbers() {
        let numbers = [0, 1, -1, 7, -7, 1 << 62, i64::MAX, i64::MAX - 1, i64::MIN, i64::MIN + 1];
        for divisor in [1, 2, -2, 7, -7, 1 << 62, i64::MAX, -i64::MAX, i64::MIN] {
            for x in numbers {
                let (quotient, remainder) = divided_by_number(&Term::var(Var(0), SmtSort::Int), divisor);
                let value = |term: Term| term.value(&|_| x).expect("128 bits are enough");
                let (wide, by) = (i128::from(x), i128::from(divisor));
                let rounded_down = (wide * by.signum()).div_euclid(by.abs());
                assert_eq!(value(quotient), rounded_down, "{x} / {divisor}");
                assert_eq!(value(remainder), wide - rounded_down * by, "{x} % {divisor}");
            }
        }
    }
}
