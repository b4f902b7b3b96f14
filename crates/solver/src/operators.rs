//! Binary operators on terms.

use crate::{Population, Term, Value};
use threadwise_ir::{BinaryOp, Sort};

impl Population {
    /// The value of `a op b`, where it has one.
    pub(crate) fn operate(&self, op: BinaryOp, sort: &Sort, a: &Value, b: &Value) -> Value {
        match op {
            BinaryOp::Union => return self.join(sort, a, b, "or", &Term::or),
            BinaryOp::Inter => return self.join(sort, a, b, "and", &Term::and),
            BinaryOp::Minus => {
                let complement = self.join(sort, b, b, "not", &|b, _| b.not());
                return self.join(sort, a, &complement, "and", &Term::and);
            }
            _ => {}
        }
        Value::scalar(match op {
            BinaryOp::Eq => self.equal(sort, a, b),
            BinaryOp::Ne => self.equal(sort, a, b).not(),
            BinaryOp::Subset => self.subset(sort, a, b),
            _ => scalar(op, a.term(), b.term()),
        })
    }

    /// Sets combined element by element; whole arrays of the solver with its `map`.
    fn join(&self, sort: &Sort, a: &Value, b: &Value, map: &str, each: &dyn Fn(&Term, &Term) -> Term) -> Value {
        let Sort::Set(element) = sort else { unreachable!("only sets are combined") };
        match self.keys(element) {
            crate::shape::Keys::Few(..) => Value(a.0.iter().zip(&b.0).map(|(a, b)| each(a, b)).collect()),
            crate::shape::Keys::Many(..) => {
                let operands: &[&Term] = if map == "not" { &[a.term()] } else { &[a.term(), b.term()] };
                Value::scalar(Term::apply(&format!("(_ map {map})"), operands))
            }
        }
    }

    fn subset(&self, sort: &Sort, a: &Value, b: &Value) -> Term {
        let Sort::Set(element) = sort else { unreachable!("subset is of sets") };
        self.for_each_key(&self.keys(element), &[a, b], "k", 0, &|parts| parts[0].term().implies(parts[1].term()))
    }
}

fn scalar(op: BinaryOp, a: &Term, b: &Term) -> Term {
    match op {
        BinaryOp::Implies => a.implies(b),
        BinaryOp::Iff => a.equals(b),
        BinaryOp::Or => a.or(b),
        BinaryOp::And => a.and(b),
        BinaryOp::Lt => a.lt(b),
        BinaryOp::Le => a.le(b),
        BinaryOp::Gt => b.lt(a),
        BinaryOp::Ge => b.le(a),
        BinaryOp::Add => a.plus(b),
        BinaryOp::Sub => a.plus(&b.negate()),
        BinaryOp::Mul => Term::apply("*", &[a, b]),
        BinaryOp::Div => divide(a, b),
        BinaryOp::Mod => remainder(a, b),
        _ => unreachable!("operators on sets and equality are handled elsewhere"),
    }
}

/// SMT-LIB's `div` rounds down where the divisor is positive; the language always does.
fn divide(a: &Term, b: &Term) -> Term {
    by_sign(b, &Term::apply("div", &[a, b]), &Term::apply("div", &[&a.negate(), &b.negate()]))
}

/// SMT-LIB's `mod` is never negative; the language's has the sign of the divisor.
fn remainder(a: &Term, b: &Term) -> Term {
    by_sign(b, &Term::apply("mod", &[a, b]), &Term::apply("mod", &[&a.negate(), &b.negate()]).negate())
}

fn by_sign(divisor: &Term, positive: &Term, negative: &Term) -> Term {
    Term::int(0).lt(divisor).ite(positive, negative)
}
