use crate::bits::Bits;
use crate::{Kind, Term, Var};

/// Gives every variable a value; a boolean is 0 or 1.
pub trait Valuation {
    /// The value of a variable.
    fn value(&self, var: Var) -> i64;
}

impl<F: Fn(Var) -> i64> Valuation for F {
    fn value(&self, var: Var) -> i64 {
        self(var)
    }
}

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Constant {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i128),
    /// A bit-vector.
    Bits(Bits),
}

impl Constant {
    /// The value that the term is, where it is written out.
    pub fn of(term: &Term) -> Option<Constant> {
        match term.kind() {
            Kind::Bool(value) => Some(Constant::Bool(*value)),
            Kind::Int(value) => Some(Constant::Int(i128::from(*value))),
            Kind::Bits(bits) => Some(Constant::Bits(*bits)),
            _ => None,
        }
    }

    /// The term that is this value; `None` for numbers of more than 64 bits.
    pub fn term(self) -> Option<Term> {
        match self {
            Constant::Bool(value) => Some(Term::bool(value)),
            Constant::Int(value) => i64::try_from(value).ok().map(Term::int),
            Constant::Bits(bits) => Some(Term::bits(bits.width(), bits.unsigned())),
        }
    }
}

impl Term {
    /// The value of a term, where leaves that are not written out have these values. `None` where a leaf has
    /// none, a number outgrows 128 bits or is divided by 0, and for arrays, functions and quantifiers.
    pub fn evaluate(&self, leaf: &dyn Fn(&Term) -> Option<Constant>) -> Option<Constant> {
        let int = |term: &Term| term.evaluate(leaf).and_then(Constant::int);
        let truth = |term: &Term| term.evaluate(leaf).and_then(Constant::bool);
        Some(match self.kind() {
            Kind::Bool(_) | Kind::Int(_) | Kind::Bits(_) => return Constant::of(self),
            Kind::Var(..) | Kind::Apply(..) => return leaf(self),
            Kind::Sum(parts) => Constant::Int(parts.iter().try_fold(0i128, |sum, part| sum.checked_add(int(part)?))?),
            Kind::Scale(factor, a) => Constant::Int(int(a)?.checked_mul(i128::from(*factor))?),
            Kind::Product(a, b) => Constant::Int(int(a)?.checked_mul(int(b)?)?),
            Kind::Div(a, b) => Constant::Int(int(a)?.checked_div_euclid(int(b)?)?),
            Kind::Mod(a, b) => Constant::Int(int(a)?.checked_rem_euclid(int(b)?)?),
            Kind::Ite(c, a, b) => return if truth(c)? { a.evaluate(leaf) } else { b.evaluate(leaf) },
            Kind::Le(a, b) => Constant::Bool(int(a)? <= int(b)?),
            Kind::Eq(a, b) | Kind::Iff(a, b) => Constant::Bool(a.evaluate(leaf)? == b.evaluate(leaf)?),
            Kind::Not(a) => Constant::Bool(!truth(a)?),
            Kind::And(parts) => {
                for part in parts {
                    if !truth(part)? {
                        return Some(Constant::Bool(false));
                    }
                }
                Constant::Bool(true)
            }
            Kind::Or(parts) => {
                for part in parts {
                    if truth(part)? {
                        return Some(Constant::Bool(true));
                    }
                }
                Constant::Bool(false)
            }
            Kind::Operation(op, operands) => {
                let operands: Option<Vec<Constant>> = operands.iter().map(|operand| operand.evaluate(leaf)).collect();
                return op.value(&operands?);
            }
            Kind::Select(..) | Kind::Store(..) | Kind::Filled(..) | Kind::Map(..) | Kind::Quantified(..) => {
                return None;
            }
        })
    }

    /// The number that the term is under a valuation of its variables; `None` where it has none.
    pub fn value(&self, valuation: &dyn Valuation) -> Option<i128> {
        self.evaluate(&of_variables(valuation)).and_then(Constant::int)
    }

    /// The truth of a formula under a valuation of its variables; `None` where it has none.
    pub fn holds(&self, valuation: &dyn Valuation) -> Option<bool> {
        self.evaluate(&of_variables(valuation)).and_then(Constant::bool)
    }
}

impl Constant {
    fn int(self) -> Option<i128> {
        match self {
            Constant::Int(value) => Some(value),
            Constant::Bool(_) | Constant::Bits(_) => None,
        }
    }

    fn bool(self) -> Option<bool> {
        match self {
            Constant::Bool(value) => Some(value),
            Constant::Int(_) | Constant::Bits(_) => None,
        }
    }
}

fn of_variables(valuation: &dyn Valuation) -> impl Fn(&Term) -> Option<Constant> {
    |leaf| {
        let value = valuation.value(leaf.as_var()?);
        match leaf.sort() {
            crate::SmtSort::Bool => Some(Constant::Bool(value != 0)),
            crate::SmtSort::Int => Some(Constant::Int(i128::from(value))),
            crate::SmtSort::Bits(width) => Some(Constant::Bits(Bits::new(*width, value as u128))),
            crate::SmtSort::Array(..) => None,
        }
    }
}
