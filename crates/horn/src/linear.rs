//! Linear inequalities.

use crate::Rational;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;
use threadwise_logic::{Formula, Term, Value, Var};

/// `Σ coefficient · variable + constant <= 0`
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Linear {
    /// The coefficients, none of them 0.
    pub coefficients: BTreeMap<Var, Rational>,
    /// The constant.
    pub constant: Rational,
}

/// What is not a conjunction of linear inequalities.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotLinear;

impl Linear {
    /// `0 <= 0`
    pub fn zero() -> Linear {
        Linear::default()
    }

    /// `1 <= 0`
    pub fn contradiction() -> Linear {
        Linear { constant: Rational::one(), ..Linear::default() }
    }

    /// Adds a multiple of another inequality.
    pub fn add(&mut self, factor: &Rational, other: &Linear) {
        if factor.is_zero() {
            return;
        }
        for (var, coefficient) in &other.coefficients {
            let entry = self.coefficients.entry(*var).or_insert_with(Rational::zero);
            *entry += factor * coefficient;
            if entry.is_zero() {
                self.coefficients.remove(var);
            }
        }
        self.constant += factor * &other.constant;
    }

    /// The inequality with variables renamed; no two may get the same name.
    pub fn rename(&self, image: &dyn Fn(Var) -> Var) -> Linear {
        let coefficients = self.coefficients.iter().map(|(var, c)| (image(*var), c.clone())).collect();
        Linear { coefficients, constant: self.constant.clone() }
    }

    /// The strongest inequality with whole coefficients that holds of the same integers.
    pub fn tightened(&self) -> Linear {
        let mut multiple = BigInt::one();
        for coefficient in self.coefficients.values() {
            multiple = multiple.lcm(coefficient.denom());
        }
        let mut divisor = BigInt::zero();
        for coefficient in self.coefficients.values() {
            divisor = divisor.gcd(&(coefficient * &multiple).to_integer());
        }
        if divisor.is_zero() {
            let sign = if self.constant.is_positive() { Rational::one() } else { Rational::zero() };
            return Linear { constant: sign, ..Linear::default() };
        }
        let factor = Rational::new(multiple, divisor);
        let coefficients = self.coefficients.iter().map(|(var, c)| (*var, c * &factor)).collect();
        // `e + c <= 0` with whole `e` is `e + ⌈c⌉ <= 0`.
        Linear { coefficients, constant: (&self.constant * factor).ceil() }
    }

    /// The inequality as a formula; a boolean variable counts as 0 or 1. `None` where numbers are too
    /// large, or not whole.
    pub fn formula(&self, is_bool: &dyn Fn(Var) -> bool) -> Option<Formula> {
        let whole = |value: &Rational| if value.is_integer() { value.to_integer().to_i64() } else { None };
        if let Some((var, coefficient)) = self.coefficients.first_key_value()
            && self.coefficients.len() == 1
            && is_bool(*var)
        {
            // `c·b + d <= 0` for b = 0 and for b = 1.
            let (if_false, if_true) = (!self.constant.is_positive(), !(coefficient + &self.constant).is_positive());
            return Some(match (if_false, if_true) {
                (true, true) => Formula::TRUE,
                (false, false) => Formula::FALSE,
                (false, true) => Formula::Var(*var),
                (true, false) => Formula::Var(*var).negated(),
            });
        }
        let (mut left, mut right) = (Term::Const(0), Term::Const(0));
        for (var, coefficient) in &self.coefficients {
            let term = match is_bool(*var) {
                true => Term::ite(Formula::Var(*var), Term::Const(1), Term::Const(0)),
                false => Term::Var(*var),
            };
            let factor = whole(coefficient)?;
            if factor > 0 {
                left = left.plus(term.times(factor));
            } else {
                right = right.plus(term.times(factor.checked_neg()?));
            }
        }
        let constant = whole(&self.constant)?;
        if left == Term::Const(0) {
            left = Term::Const(constant);
        } else {
            right = right.plus(Term::Const(constant.checked_neg()?));
        }
        Some(Formula::le(left, right))
    }
}

/// A conjunction of linear inequalities that holds of the same integers as the formula. Equations are
/// two inequalities each; a boolean variable is at least 1 or at most 0. A disequation is linear only
/// where `bounds` says that the variable is on one side of it.
pub fn linear_atoms(
    formula: &Formula,
    bounds: &dyn Fn(Var) -> Option<(i64, i64)>,
    out: &mut Vec<Linear>,
) -> Result<(), NotLinear> {
    match formula {
        Formula::Const(true) => {}
        Formula::Const(false) => out.push(Linear::contradiction()),
        Formula::Var(var) => out.push(bool_atom(*var, true)),
        Formula::Le(a, b) => out.push(difference(a, b)?),
        Formula::Eq(a, b) => {
            out.push(difference(a, b)?);
            out.push(difference(b, a)?);
        }
        Formula::And(parts) => {
            for part in parts {
                linear_atoms(part, bounds, out)?;
            }
        }
        Formula::Not(inner) => match &**inner {
            Formula::Var(var) => out.push(bool_atom(*var, false)),
            Formula::Eq(Term::Var(var), Term::Const(value)) => {
                let (lo, hi) = bounds(*var).ok_or(NotLinear)?;
                let (below, above) = (value.checked_sub(1), value.checked_add(1));
                if *value <= lo {
                    out.push(difference(&Term::Const(above.ok_or(NotLinear)?), &Term::Var(*var))?);
                } else if *value >= hi {
                    out.push(difference(&Term::Var(*var), &Term::Const(below.ok_or(NotLinear)?))?);
                } else {
                    return Err(NotLinear);
                }
            }
            _ => return Err(NotLinear),
        },
        Formula::Iff(a, b) => match (&**a, &**b) {
            (Formula::Var(x), Formula::Var(y)) => {
                let equal = Formula::eq(Term::Var(*x), Term::Var(*y));
                linear_atoms(&equal, bounds, out)?;
            }
            _ => return Err(NotLinear),
        },
        Formula::Or(_) => return Err(NotLinear),
    }
    Ok(())
}

/// A boolean variable as a number that is at least 1, or at most 0.
fn bool_atom(var: Var, truth: bool) -> Linear {
    let sign = if truth { -Rational::one() } else { Rational::one() };
    let constant = if truth { Rational::one() } else { Rational::zero() };
    Linear { coefficients: BTreeMap::from([(var, sign)]), constant }
}

/// `a <= b`
fn difference(a: &Term, b: &Term) -> Result<Linear, NotLinear> {
    let mut linear = Linear::zero();
    accumulate(a, &Rational::one(), &mut linear)?;
    accumulate(b, &-Rational::one(), &mut linear)?;
    Ok(linear)
}

fn accumulate(term: &Term, factor: &Rational, out: &mut Linear) -> Result<(), NotLinear> {
    let number = |value: i64| Rational::from_integer(BigInt::from(value));
    match term {
        Term::Const(value) => out.constant += factor * number(*value),
        Term::Var(var) => {
            let single = Linear { coefficients: BTreeMap::from([(*var, Rational::one())]), constant: Rational::zero() };
            out.add(factor, &single);
        }
        Term::Sum(parts) => {
            for part in parts {
                accumulate(part, factor, out)?;
            }
        }
        Term::Scale(inner, a) => accumulate(a, &(factor * number(*inner)), out)?,
        Term::Ite(condition, a, b) => match (&**condition, &**a, &**b) {
            (Formula::Var(var), Term::Const(1), Term::Const(0)) => accumulate(&Term::Var(*var), factor, out)?,
            _ => return Err(NotLinear),
        },
        Term::Product(..) | Term::Div(..) | Term::Mod(..) => return Err(NotLinear),
    }
    Ok(())
}

/// A value of a variable as inequalities: `var == value`.
impl Linear {
    /// `var == value` as two inequalities, if it is linear.
    pub fn equation(var: Var, value: &Value) -> Result<[Linear; 2], NotLinear> {
        let term = match value {
            Value::Int(term) => term.clone(),
            Value::Bool(Formula::Var(other)) => Term::Var(*other),
            Value::Bool(Formula::Const(truth)) => Term::Const(i64::from(*truth)),
            Value::Bool(_) => return Err(NotLinear),
        };
        Ok([difference(&Term::Var(var), &term)?, difference(&term, &Term::Var(var))?])
    }
}
