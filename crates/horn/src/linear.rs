//! Linear inequalities.

use crate::Rational;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;
use threadwise_logic::{Kind, SmtSort, Term, Var};

/// `Σ coefficient · variable + constant <= 0`
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Linear {
    /// The coefficients, none of them 0.
    pub coefficients: BTreeMap<Var, Rational>,
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
    pub fn formula(&self, is_bool: &dyn Fn(Var) -> bool) -> Option<Term> {
        let whole = |value: &Rational| if value.is_integer() { value.to_integer().to_i64() } else { None };
        if let Some((var, coefficient)) = self.coefficients.first_key_value()
            && self.coefficients.len() == 1
            && is_bool(*var)
        {
            // `c·b + d <= 0` for b = 0 and for b = 1.
            let (if_false, if_true) = (!self.constant.is_positive(), !(coefficient + &self.constant).is_positive());
            return Some(match (if_false, if_true) {
                (true, true) => Term::bool(true),
                (false, false) => Term::bool(false),
                (false, true) => Term::var(*var, SmtSort::Bool),
                (true, false) => Term::var(*var, SmtSort::Bool).not(),
            });
        }
        let (mut left, mut right) = (Term::int(0), Term::int(0));
        for (var, coefficient) in &self.coefficients {
            let term = match is_bool(*var) {
                true => Term::var(*var, SmtSort::Bool).ite(Term::int(1), Term::int(0)),
                false => Term::var(*var, SmtSort::Int),
            };
            let factor = whole(coefficient)?;
            if factor > 0 {
                left = left.plus(term.times(factor));
            } else {
                right = right.plus(term.times(factor.checked_neg()?));
            }
        }
        let constant = whole(&self.constant)?;
        if left == Term::int(0) {
            left = Term::int(constant);
        } else {
            right = right.plus(Term::int(constant.checked_neg()?));
        }
        Some(left.le(right))
    }
}

/// A conjunction of linear inequalities that holds of the same integers as the formula. Equations are
/// two inequalities each; a boolean variable is at least 1 or at most 0. A disequation is linear only
/// where `bounds` says that the variable is on one side of it.
pub fn linear_atoms(
    formula: &Term,
    bounds: &dyn Fn(Var) -> Option<(i64, i64)>,
    out: &mut Vec<Linear>,
) -> Result<(), NotLinear> {
    match formula.kind() {
        Kind::Bool(true) => {}
        Kind::Bool(false) => out.push(Linear::contradiction()),
        Kind::Var(var, _) => out.push(bool_atom(*var, true)),
        Kind::Le(a, b) => out.push(difference(a, b)?),
        Kind::Eq(a, b) => {
            out.push(difference(a, b)?);
            out.push(difference(b, a)?);
        }
        Kind::And(parts) => {
            for part in parts {
                linear_atoms(part, bounds, out)?;
            }
        }
        Kind::Not(inner) => match inner.kind() {
            Kind::Var(var, _) => out.push(bool_atom(*var, false)),
            Kind::Eq(a, b) => out.push(disequation(a, b, bounds)?),
            _ => return Err(NotLinear),
        },
        Kind::Iff(a, b) => match (a.as_var(), b.as_var()) {
            (Some(x), Some(y)) => {
                out.push(at_most(x, y));
                out.push(at_most(y, x));
            }
            _ => return Err(NotLinear),
        },
        _ => return Err(NotLinear),
    }
    Ok(())
}

/// `a != b`, where the bounds of a variable leave only one side of a number.
fn disequation(a: &Term, b: &Term, bounds: &dyn Fn(Var) -> Option<(i64, i64)>) -> Result<Linear, NotLinear> {
    let (Some(var), Some(value)) = (a.as_var(), b.as_int()) else { return Err(NotLinear) };
    let (lo, hi) = bounds(var).ok_or(NotLinear)?;
    let (below, above) = (value.checked_sub(1), value.checked_add(1));
    if value <= lo {
        difference(&Term::int(above.ok_or(NotLinear)?), a)
    } else if value >= hi {
        difference(a, &Term::int(below.ok_or(NotLinear)?))
    } else {
        Err(NotLinear)
    }
}

/// A boolean variable as a number that is at least 1, or at most 0.
fn bool_atom(var: Var, truth: bool) -> Linear {
    let sign = if truth { -Rational::one() } else { Rational::one() };
    let constant = if truth { Rational::one() } else { Rational::zero() };
    Linear { coefficients: BTreeMap::from([(var, sign)]), constant }
}

/// `x <= y` of two variables.
fn at_most(x: Var, y: Var) -> Linear {
    let mut linear = Linear::zero();
    linear.add(&Rational::one(), &Linear::of(x));
    linear.add(&-Rational::one(), &Linear::of(y));
    linear
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
    match term.kind() {
        Kind::Int(value) => out.constant += factor * number(*value),
        Kind::Var(var, _) => out.add(factor, &Linear::of(*var)),
        Kind::Sum(parts) => {
            for part in parts {
                accumulate(part, factor, out)?;
            }
        }
        Kind::Scale(inner, a) => accumulate(a, &(factor * number(*inner)), out)?,
        Kind::Ite(condition, a, b) => match (condition.as_var(), a.as_int(), b.as_int()) {
            (Some(var), Some(1), Some(0)) => out.add(factor, &Linear::of(var)),
            _ => return Err(NotLinear),
        },
        _ => return Err(NotLinear),
    }
    Ok(())
}

impl Linear {
    /// `var <= 0`
    fn of(var: Var) -> Linear {
        Linear { coefficients: BTreeMap::from([(var, Rational::one())]), constant: Rational::zero() }
    }
}
