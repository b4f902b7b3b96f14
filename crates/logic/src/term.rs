use crate::{Formula, Var};

/// An integer term.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Term {
    /// A number.
    Const(i64),
    /// An integer variable.
    Var(Var),
    /// A sum of at least two terms, none of them a sum.
    Sum(Vec<Term>),
    /// A term times a number other than 0 and 1; the term is no constant and no sum.
    Scale(i64, Box<Term>),
    /// A product of two terms, neither of them a constant.
    Product(Box<Term>, Box<Term>),
    /// The quotient by a positive number, rounded toward negative infinity.
    Div(Box<Term>, i64),
    /// The remainder that goes with [`Term::Div`]; it is not negative.
    Mod(Box<Term>, i64),
    /// The one term or the other.
    Ite(Box<Formula>, Box<Term>, Box<Term>),
}

impl From<i64> for Term {
    fn from(value: i64) -> Term {
        Term::Const(value)
    }
}

impl Term {
    /// The number, if the term is one.
    pub fn constant(&self) -> Option<i64> {
        match self {
            Term::Const(value) => Some(*value),
            _ => None,
        }
    }

    /// The sum of two terms. Multiples of the same term are collected.
    pub fn plus(self, other: Term) -> Term {
        let mut parts: Vec<(i64, Term)> = Vec::new();
        let mut constant: i64 = 0;
        let mut overflow = Vec::new();
        for part in self.into_parts().into_iter().chain(other.into_parts()) {
            match part {
                Term::Const(value) => match constant.checked_add(value) {
                    Some(sum) => constant = sum,
                    None => overflow.push(Term::Const(value)),
                },
                part => {
                    let (factor, base) = part.into_scaled();
                    match parts.iter_mut().find(|(_, known)| *known == base) {
                        Some((known, _)) if known.checked_add(factor).is_some() => *known += factor,
                        _ => parts.push((factor, base)),
                    }
                }
            }
        }
        parts.sort_by(|a, b| a.1.cmp(&b.1));
        let mut terms: Vec<Term> =
            parts.into_iter().filter(|(f, _)| *f != 0).map(|(factor, base)| base.rescaled(factor)).collect();
        terms.append(&mut overflow);
        if constant != 0 || terms.is_empty() {
            terms.push(Term::Const(constant));
        }
        if terms.len() == 1 { terms.remove(0) } else { Term::Sum(terms) }
    }

    /// The difference of two terms.
    pub fn minus(self, other: Term) -> Term {
        self.plus(other.times(-1))
    }

    /// The term times a number.
    pub fn times(self, factor: i64) -> Term {
        if factor == 0 {
            return Term::Const(0);
        }
        match self {
            Term::Const(value) => match value.checked_mul(factor) {
                Some(product) => Term::Const(product),
                None => Term::Product(Box::new(Term::Const(value)), Box::new(Term::Const(factor))),
            },
            Term::Sum(parts) => {
                let scaled = parts.into_iter().map(|part| part.times(factor));
                scaled.reduce(Term::plus).unwrap_or(Term::Const(0))
            }
            Term::Scale(inner, base) => match inner.checked_mul(factor) {
                Some(product) => base.rescaled(product),
                None => Term::Product(Box::new(Term::Scale(inner, base)), Box::new(Term::Const(factor))),
            },
            base => base.rescaled(factor),
        }
    }

    /// The product of two terms.
    pub fn product(self, other: Term) -> Term {
        match (self.constant(), other.constant()) {
            (Some(factor), _) => other.times(factor),
            (_, Some(factor)) => self.times(factor),
            _ => Term::Product(Box::new(self), Box::new(other)),
        }
    }

    /// The quotient by a positive number, rounded toward negative infinity.
    pub fn divided_by(self, divisor: i64) -> Term {
        debug_assert!(divisor > 0, "only positive numbers divide");
        match self {
            Term::Const(value) => Term::Const(value.div_euclid(divisor)),
            term if divisor == 1 => term,
            term => Term::Div(Box::new(term), divisor),
        }
    }

    /// The remainder of the division by a positive number.
    pub fn modulo(self, divisor: i64) -> Term {
        debug_assert!(divisor > 0, "only positive numbers divide");
        match self {
            Term::Const(value) => Term::Const(value.rem_euclid(divisor)),
            _ if divisor == 1 => Term::Const(0),
            term => Term::Mod(Box::new(term), divisor),
        }
    }

    /// The one term or the other.
    pub fn ite(condition: Formula, then: Term, otherwise: Term) -> Term {
        match condition {
            Formula::Const(true) => then,
            Formula::Const(false) => otherwise,
            _ if then == otherwise => then,
            condition => Term::Ite(Box::new(condition), Box::new(then), Box::new(otherwise)),
        }
    }

    /// Calls `visit` on every variable, of either sort, as often as it occurs.
    pub fn walk(&self, visit: &mut dyn FnMut(Var)) {
        match self {
            Term::Const(_) => {}
            Term::Var(var) => visit(*var),
            Term::Sum(parts) => parts.iter().for_each(|part| part.walk(visit)),
            Term::Scale(_, a) | Term::Div(a, _) | Term::Mod(a, _) => a.walk(visit),
            Term::Product(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Term::Ite(c, a, b) => {
                c.walk(visit);
                a.walk(visit);
                b.walk(visit);
            }
        }
    }

    /// The number of nodes, counted up to `most`.
    pub fn size(&self, most: usize) -> usize {
        if most == 0 {
            return 0;
        }
        let add = |sum: usize, part: usize| (sum + part).min(most);
        match self {
            Term::Const(_) | Term::Var(_) => 1,
            Term::Sum(parts) => parts.iter().fold(1, |sum, part| add(sum, part.size(most - sum))),
            Term::Scale(_, a) | Term::Div(a, _) | Term::Mod(a, _) => add(1, a.size(most - 1)),
            Term::Product(a, b) => {
                let left = add(1, a.size(most - 1));
                add(left, b.size(most - left))
            }
            Term::Ite(c, a, b) => {
                let condition = add(1, c.size(most - 1));
                let left = add(condition, a.size(most - condition));
                add(left, b.size(most - left))
            }
        }
    }

    fn into_parts(self) -> Vec<Term> {
        match self {
            Term::Sum(parts) => parts,
            term => vec![term],
        }
    }

    fn into_scaled(self) -> (i64, Term) {
        match self {
            Term::Scale(factor, base) => (factor, *base),
            term => (1, term),
        }
    }

    fn rescaled(self, factor: i64) -> Term {
        match factor {
            0 => Term::Const(0),
            1 => self,
            _ => Term::Scale(factor, Box::new(self)),
        }
    }
}
