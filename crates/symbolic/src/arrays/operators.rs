//! Binary operators on terms.

use super::shape::Keys;
use super::{Population, Value};
use threadwise_ir::{BinaryOp, Sort};
use threadwise_logic::{Connective, Term};

impl Population {
    /// The value of `a op b`, where it has one.
    pub(crate) fn operate(&self, op: BinaryOp, sort: &Sort, a: &Value, b: &Value) -> Value {
        match op {
            BinaryOp::Union => return self.join(sort, Connective::Or, &[a, b]),
            BinaryOp::Inter => return self.join(sort, Connective::And, &[a, b]),
            BinaryOp::Minus => {
                let complement = self.join(sort, Connective::Not, &[b]);
                return self.join(sort, Connective::And, &[a, &complement]);
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
    fn join(&self, sort: &Sort, connective: Connective, sets: &[&Value]) -> Value {
        let Sort::Set(element) = sort else { unreachable!("only sets are combined") };
        if let Keys::Many(..) = self.keys(element) {
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
        BinaryOp::Sub => a.minus(b),
        BinaryOp::Mul => a.product(b),
        BinaryOp::Div => divide(a, b),
        BinaryOp::Mod => remainder(a, b),
        BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::In
        | BinaryOp::Subset
        | BinaryOp::Union
        | BinaryOp::Inter
        | BinaryOp::Minus => unreachable!("operators on sets and equality are handled elsewhere"),
    }
}

/// SMT-LIB's `div` rounds down where the divisor is positive; the language always does.
fn divide(a: &Term, b: &Term) -> Term {
    by_sign(b, &a.div(b), &a.negate().div(b.negate()))
}

/// SMT-LIB's `mod` is never negative; the language's has the sign of the divisor.
fn remainder(a: &Term, b: &Term) -> Term {
    by_sign(b, &a.modulo(b), &a.negate().modulo(b.negate()).negate())
}

fn by_sign(divisor: &Term, positive: &Term, negative: &Term) -> Term {
    Term::int(0).lt(divisor).ite(positive, negative)
}
