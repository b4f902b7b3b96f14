//! Whole numbers.

use crate::{Kind, SmtSort, Term};
use std::borrow::Borrow;

impl From<i64> for Term {
    fn from(value: i64) -> Term {
        Term::int(value)
    }
}

impl Term {
    /// A number.
    pub fn int(value: i64) -> Term {
        Term::make(Kind::Int(value))
    }

    /// A number that may have a bit or two more than 64; then it is a sum.
    pub fn number(value: i128) -> Term {
        let part = value.clamp(i128::from(i64::MIN), i128::from(i64::MAX));
        let rest = value - part;
        if rest == 0 { Term::int(part as i64) } else { Term::int(part as i64).plus(Term::number(rest)) }
    }

    /// The number, if the term is one.
    pub fn as_int(&self) -> Option<i64> {
        match self.kind() {
            Kind::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// `self <= other`
    pub fn le(&self, other: impl Borrow<Term>) -> Term {
        let other = other.borrow();
        debug_assert!([self, other].iter().all(|term| *term.sort() == SmtSort::Int), "only numbers are ordered");
        match (self.as_int(), other.as_int()) {
            (Some(a), Some(b)) => Term::bool(a <= b),
            _ if self == other => Term::bool(true),
            _ => Term::make(Kind::Le(self.clone(), other.clone())),
        }
    }

    /// `self < other`
    pub fn lt(&self, other: impl Borrow<Term>) -> Term {
        let other = other.borrow();
        match other.as_int().and_then(|b| b.checked_sub(1)) {
            // So that negating `2 <= x` gives `x <= 1`, of which it is the negation.
            Some(below) if self.as_int().is_none() => self.le(Term::int(below)),
            _ => self.plus(Term::int(1)).le(other),
        }
    }

    /// `low <= self && self <= high`
    pub fn between(&self, low: impl Borrow<Term>, high: impl Borrow<Term>) -> Term {
        low.borrow().le(self).and(self.le(high))
    }

    /// The sum of two terms. Multiples of the same term are collected.
    pub fn plus(&self, other: impl Borrow<Term>) -> Term {
        let mut parts: Vec<(i64, Term)> = Vec::new();
        let mut constant: i128 = 0;
        for part in self.summands().iter().chain(other.borrow().summands()) {
            match part.as_int() {
                Some(value) => constant += i128::from(value),
                None => {
                    let (factor, base) = part.scaled();
                    match parts.iter_mut().find(|(_, known)| known == base) {
                        Some((known, _)) if known.checked_add(factor).is_some() => *known += factor,
                        _ => parts.push((factor, base.clone())),
                    }
                }
            }
        }
        parts.sort_by(|a, b| a.1.cmp(&b.1));
        let mut terms: Vec<Term> =
            parts.iter().filter(|(f, _)| *f != 0).map(|(factor, base)| base.rescaled(*factor)).collect();
        // A number that is too large is a sum too.
        while i64::try_from(constant).is_err() {
            let most = if constant > 0 { i64::MAX } else { i64::MIN };
            terms.push(Term::int(most));
            constant -= i128::from(most);
        }
        if constant != 0 || terms.is_empty() {
            terms.push(Term::int(constant as i64));
        }
        if terms.len() == 1 { terms.remove(0) } else { Term::make(Kind::Sum(terms)) }
    }

    /// The sum of all.
    pub fn sum<T: Borrow<Term>>(terms: impl IntoIterator<Item = T>) -> Term {
        let mut terms = terms.into_iter();
        let first = terms.next().map_or_else(|| Term::int(0), |first| first.borrow().clone());
        terms.fold(first, |sum, term| sum.plus(term))
    }

    /// The difference of two terms.
    pub fn minus(&self, other: impl Borrow<Term>) -> Term {
        self.plus(other.borrow().times(-1))
    }

    /// `-self`
    pub fn negate(&self) -> Term {
        self.times(-1)
    }

    /// The term times a number.
    pub fn times(&self, factor: i64) -> Term {
        if factor == 0 {
            return Term::int(0);
        }
        let too_large = || Term::make(Kind::Product(self.clone(), Term::int(factor)));
        match self.kind() {
            Kind::Int(value) => value.checked_mul(factor).map_or_else(too_large, Term::int),
            Kind::Sum(parts) => Term::sum(parts.iter().map(|part| part.times(factor))),
            Kind::Scale(inner, base) => {
                inner.checked_mul(factor).map_or_else(too_large, |product| base.rescaled(product))
            }
            _ => self.rescaled(factor),
        }
    }

    /// The product of two terms.
    pub fn product(&self, other: impl Borrow<Term>) -> Term {
        let other = other.borrow();
        match (self.as_int(), other.as_int()) {
            (Some(a), Some(b)) if a.checked_mul(b).is_none() => Term::make(Kind::Product(self.clone(), other.clone())),
            (Some(factor), _) => other.times(factor),
            (_, Some(factor)) => self.times(factor),
            _ => Term::make(Kind::Product(self.clone(), other.clone())),
        }
    }

    /// The quotient of SMT-LIB: `self` is it times the divisor, plus a remainder that is not negative and less
    /// than the divisor's amount. Nothing is known of it where the divisor is 0.
    pub fn div(&self, divisor: impl Borrow<Term>) -> Term {
        let divisor = divisor.borrow();
        match (self.as_int(), divisor.as_int()) {
            (_, Some(1)) => self.clone(),
            (Some(a), Some(b)) if a.checked_div_euclid(b).is_some() => Term::int(a.div_euclid(b)),
            _ => Term::make(Kind::Div(self.clone(), divisor.clone())),
        }
    }

    /// The remainder that goes with [`Term::div`].
    pub fn modulo(&self, divisor: impl Borrow<Term>) -> Term {
        let divisor = divisor.borrow();
        match (self.as_int(), divisor.as_int()) {
            (_, Some(1 | -1)) => Term::int(0),
            (Some(a), Some(b)) if b != 0 => Term::int(a.rem_euclid(b)),
            _ => Term::make(Kind::Mod(self.clone(), divisor.clone())),
        }
    }

    fn summands(&self) -> &[Term] {
        match self.kind() {
            Kind::Sum(parts) => parts,
            _ => std::slice::from_ref(self),
        }
    }

    fn scaled(&self) -> (i64, &Term) {
        match self.kind() {
            Kind::Scale(factor, base) => (*factor, base),
            _ => (1, self),
        }
    }

    fn rescaled(&self, factor: i64) -> Term {
        match factor {
            0 => Term::int(0),
            1 => self.clone(),
            _ => Term::make(Kind::Scale(factor, self.clone())),
        }
    }
}
