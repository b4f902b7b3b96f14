use crate::{Formula, Term, Var};

/// What a variable is replaced by: a term for an integer, a formula for a boolean.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// For an integer variable.
    Int(Term),
    /// For a boolean variable.
    Bool(Formula),
}

impl Term {
    /// The term with variables replaced. A value of the wrong sort leaves its variable alone.
    pub fn substitute(&self, value: &dyn Fn(Var) -> Option<Value>) -> Term {
        match self {
            Term::Const(_) => self.clone(),
            Term::Var(var) => match value(*var) {
                Some(Value::Int(term)) => term,
                _ => self.clone(),
            },
            Term::Sum(parts) => {
                parts.iter().map(|part| part.substitute(value)).reduce(Term::plus).unwrap_or(Term::Const(0))
            }
            Term::Scale(factor, a) => a.substitute(value).times(*factor),
            Term::Product(a, b) => a.substitute(value).product(b.substitute(value)),
            Term::Div(a, divisor) => a.substitute(value).divided_by(*divisor),
            Term::Mod(a, divisor) => a.substitute(value).modulo(*divisor),
            Term::Ite(c, a, b) => Term::ite(c.substitute(value), a.substitute(value), b.substitute(value)),
        }
    }
}

impl Formula {
    /// The formula with variables replaced. A value of the wrong sort leaves its variable alone.
    pub fn substitute(&self, value: &dyn Fn(Var) -> Option<Value>) -> Formula {
        match self {
            Formula::Const(_) => self.clone(),
            Formula::Var(var) => match value(*var) {
                Some(Value::Bool(formula)) => formula,
                _ => self.clone(),
            },
            Formula::Le(a, b) => Formula::le(a.substitute(value), b.substitute(value)),
            Formula::Eq(a, b) => Formula::eq(a.substitute(value), b.substitute(value)),
            Formula::Not(a) => a.substitute(value).negated(),
            Formula::And(parts) => Formula::all(parts.iter().map(|part| part.substitute(value))),
            Formula::Or(parts) => Formula::any(parts.iter().map(|part| part.substitute(value))),
            Formula::Iff(a, b) => a.substitute(value).iff(b.substitute(value)),
        }
    }

    /// The formula with variables renamed; names keep their sorts.
    pub fn rename(&self, image: &dyn Fn(Var) -> Var) -> Formula {
        match self {
            Formula::Const(_) => self.clone(),
            Formula::Var(var) => Formula::Var(image(*var)),
            Formula::Le(a, b) => Formula::le(a.rename(image), b.rename(image)),
            Formula::Eq(a, b) => Formula::eq(a.rename(image), b.rename(image)),
            Formula::Not(a) => a.rename(image).negated(),
            Formula::And(parts) => Formula::all(parts.iter().map(|part| part.rename(image))),
            Formula::Or(parts) => Formula::any(parts.iter().map(|part| part.rename(image))),
            Formula::Iff(a, b) => a.rename(image).iff(b.rename(image)),
        }
    }
}

impl Term {
    /// The term with variables renamed; names keep their sorts.
    pub fn rename(&self, image: &dyn Fn(Var) -> Var) -> Term {
        match self {
            Term::Const(_) => self.clone(),
            Term::Var(var) => Term::Var(image(*var)),
            Term::Sum(parts) => {
                parts.iter().map(|part| part.rename(image)).reduce(Term::plus).unwrap_or(Term::Const(0))
            }
            Term::Scale(factor, a) => a.rename(image).times(*factor),
            Term::Product(a, b) => a.rename(image).product(b.rename(image)),
            Term::Div(a, divisor) => a.rename(image).divided_by(*divisor),
            Term::Mod(a, divisor) => a.rename(image).modulo(*divisor),
            Term::Ite(c, a, b) => Term::ite(c.rename(image), a.rename(image), b.rename(image)),
        }
    }
}
