use crate::{Formula, Term, Var};

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

impl Term {
    /// The value of the term; `None` where it outgrows 128 bits.
    pub fn value(&self, valuation: &dyn Valuation) -> Option<i128> {
        match self {
            Term::Const(value) => Some(i128::from(*value)),
            Term::Var(var) => Some(i128::from(valuation.value(*var))),
            Term::Sum(parts) => parts.iter().try_fold(0i128, |sum, part| sum.checked_add(part.value(valuation)?)),
            Term::Scale(factor, a) => a.value(valuation)?.checked_mul(i128::from(*factor)),
            Term::Product(a, b) => a.value(valuation)?.checked_mul(b.value(valuation)?),
            Term::Div(a, divisor) => Some(a.value(valuation)?.div_euclid(i128::from(*divisor))),
            Term::Mod(a, divisor) => Some(a.value(valuation)?.rem_euclid(i128::from(*divisor))),
            Term::Ite(c, a, b) => {
                if c.holds(valuation)? {
                    a.value(valuation)
                } else {
                    b.value(valuation)
                }
            }
        }
    }
}

impl Formula {
    /// The truth of the formula; `None` where a number outgrows 128 bits.
    pub fn holds(&self, valuation: &dyn Valuation) -> Option<bool> {
        Some(match self {
            Formula::Const(value) => *value,
            Formula::Var(var) => valuation.value(*var) != 0,
            Formula::Le(a, b) => a.value(valuation)? <= b.value(valuation)?,
            Formula::Eq(a, b) => a.value(valuation)? == b.value(valuation)?,
            Formula::Not(a) => !a.holds(valuation)?,
            Formula::And(parts) => {
                for part in parts {
                    if !part.holds(valuation)? {
                        return Some(false);
                    }
                }
                true
            }
            Formula::Or(parts) => {
                for part in parts {
                    if part.holds(valuation)? {
                        return Some(true);
                    }
                }
                false
            }
            Formula::Iff(a, b) => a.holds(valuation)? == b.holds(valuation)?,
        })
    }
}
