//! Truth values and formulas.

use crate::{Kind, SmtSort, Term, Var};
use rustc_hash::FxHashSet;
use std::borrow::Borrow;

impl Term {
    /// `true` or `false`.
    pub fn bool(value: bool) -> Term {
        Term::make(Kind::Bool(value))
    }

    /// A variable.
    pub fn var(var: Var, sort: SmtSort) -> Term {
        Term::make(Kind::Var(var, sort))
    }

    /// The variable, if the term is one.
    pub fn as_var(&self) -> Option<Var> {
        match self.kind() {
            Kind::Var(var, _) => Some(*var),
            _ => None,
        }
    }

    /// The truth value, if the term is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.kind() {
            Kind::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether this is the term `true`.
    pub fn is_true(&self) -> bool {
        self.as_bool() == Some(true)
    }

    /// Whether this is the term `false`.
    pub fn is_false(&self) -> bool {
        self.as_bool() == Some(false)
    }

    /// The negation.
    #[allow(clippy::should_implement_trait, reason = "terms are built by method calls throughout")]
    pub fn not(&self) -> Term {
        match self.kind() {
            Kind::Bool(value) => Term::bool(!value),
            Kind::Not(inner) => inner.clone(),
            Kind::Le(a, b) => b.lt(a),
            _ => Term::make(Kind::Not(self.clone())),
        }
    }

    /// The negation, if it has been made.
    fn known_negation(&self) -> Option<Term> {
        match self.kind() {
            Kind::Bool(_) | Kind::Not(_) | Kind::Le(..) => Some(self.not()),
            _ => Term::find(&Kind::Not(self.clone())),
        }
    }

    /// The conjunction of all. Duplicates are dropped, and a formula beside its negation makes `false`.
    pub fn all<T: Borrow<Term>>(parts: impl IntoIterator<Item = T>) -> Term {
        junction(parts, true)
    }

    /// The disjunction of all. Duplicates are dropped, and a formula beside its negation makes `true`.
    pub fn any<T: Borrow<Term>>(parts: impl IntoIterator<Item = T>) -> Term {
        junction(parts, false)
    }

    /// `self && other`
    pub fn and(&self, other: impl Borrow<Term>) -> Term {
        Term::all([self, other.borrow()])
    }

    /// `self || other`
    pub fn or(&self, other: impl Borrow<Term>) -> Term {
        Term::any([self, other.borrow()])
    }

    /// `self ==> other`
    pub fn implies(&self, other: impl Borrow<Term>) -> Term {
        self.not().or(other)
    }

    /// Equality, which for formulas is equivalence.
    pub fn equals(&self, other: impl Borrow<Term>) -> Term {
        let other = other.borrow();
        debug_assert_eq!(self.sort(), other.sort(), "equal terms have one sort");
        match (self.kind(), other.kind()) {
            _ if self == other => Term::bool(true),
            (Kind::Bool(true), _) => other.clone(),
            (_, Kind::Bool(true)) => self.clone(),
            (Kind::Bool(false), _) => other.not(),
            (_, Kind::Bool(false)) => self.not(),
            (Kind::Int(_), Kind::Int(_)) | (Kind::Bits(_), Kind::Bits(_)) => Term::bool(false),
            (Kind::Int(_) | Kind::Bits(_), _) => Term::make(Kind::Eq(other.clone(), self.clone())),
            _ if *self.sort() == SmtSort::Bool => Term::make(Kind::Iff(self.clone(), other.clone())),
            _ => Term::make(Kind::Eq(self.clone(), other.clone())),
        }
    }

    /// The first where this formula holds, else the second.
    pub fn ite(&self, then: impl Borrow<Term>, otherwise: impl Borrow<Term>) -> Term {
        let (then, otherwise) = (then.borrow(), otherwise.borrow());
        debug_assert_eq!(then.sort(), otherwise.sort(), "both terms have one sort");
        match self.kind() {
            Kind::Bool(true) => then.clone(),
            Kind::Bool(false) => otherwise.clone(),
            _ if then == otherwise => then.clone(),
            _ if *then.sort() == SmtSort::Bool => self.and(then).or(self.not().and(otherwise)),
            _ => Term::make(Kind::Ite(self.clone(), then.clone(), otherwise.clone())),
        }
    }

    /// The conjuncts of a conjunction, or the formula alone; none for `true`.
    pub fn conjuncts(&self) -> &[Term] {
        match self.kind() {
            Kind::And(parts) => parts,
            Kind::Bool(true) => &[],
            _ => std::slice::from_ref(self),
        }
    }
}

/// Up to so many parts are compared one by one.
const FEW: usize = 16;

fn junction<T: Borrow<Term>>(parts: impl IntoIterator<Item = T>, is_and: bool) -> Term {
    let mut flat: Vec<Term> = Vec::new();
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    for part in parts {
        let part = part.borrow();
        let inner = match part.kind() {
            Kind::Bool(value) if *value == is_and => continue,
            Kind::Bool(_) => return Term::bool(!is_and),
            Kind::And(inner) if is_and => inner,
            Kind::Or(inner) if !is_and => inner,
            _ => std::slice::from_ref(part),
        };
        for formula in inner {
            debug_assert_eq!(*formula.sort(), SmtSort::Bool, "only formulas are connected");
            if flat.len() == FEW && seen.is_empty() {
                seen.extend(flat.iter().cloned());
            }
            let known = |f: &Term| if flat.len() < FEW { flat.contains(f) } else { seen.contains(f) };
            if formula.known_negation().is_some_and(|negation| known(&negation)) {
                return Term::bool(!is_and);
            }
            if !known(formula) {
                if flat.len() >= FEW {
                    seen.insert(formula.clone());
                }
                flat.push(formula.clone());
            }
        }
    }
    match flat.len() {
        0 => Term::bool(is_and),
        1 => flat.remove(0),
        _ if is_and => Term::make(Kind::And(flat)),
        _ => Term::make(Kind::Or(flat)),
    }
}
