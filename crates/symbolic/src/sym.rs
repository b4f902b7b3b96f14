//! Values of any sort as trees of terms and formulas.

use threadwise_ir::{Instance, Sort};
use threadwise_logic::{Formula, Term};

/// A symbolic value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sym {
    /// A number, an enum member's index or a `tid`.
    Int(Term),
    /// A boolean.
    Bool(Formula),
    /// For each value of the element sort, whether it is a member.
    Set(Vec<Formula>),
    /// The elements in the order of the keys.
    Array(Vec<Sym>),
}

impl Sym {
    pub(crate) fn term(self) -> Term {
        match self {
            Sym::Int(term) => term,
            Sym::Bool(formula) => Term::ite(formula, Term::Const(1), Term::Const(0)),
            Sym::Set(_) | Sym::Array(_) => unreachable!("expressions are well-sorted"),
        }
    }

    pub(crate) fn formula(self) -> Formula {
        match self {
            Sym::Bool(formula) => formula,
            Sym::Int(_) | Sym::Set(_) | Sym::Array(_) => unreachable!("expressions are well-sorted"),
        }
    }

    pub(crate) fn members(self) -> Vec<Formula> {
        match self {
            Sym::Set(members) => members,
            _ => unreachable!("expressions are well-sorted"),
        }
    }

    /// A scalar of the sort with this value.
    pub(crate) fn scalar(sort: &Sort, value: i64) -> Sym {
        match sort {
            Sort::Bool => Sym::Bool(Formula::Const(value != 0)),
            _ => Sym::Int(Term::Const(value)),
        }
    }

    /// The default of a sort.
    pub(crate) fn default(instance: &Instance, sort: &Sort) -> Sym {
        match sort {
            Sort::Range(lo, _) => Sym::Int(Term::Const(*lo)),
            Sort::Set(element) => Sym::Set(vec![Formula::FALSE; instance.count(element)]),
            Sort::Array(key, element) => {
                let keys = instance.count(key);
                Sym::Array(vec![Sym::default(instance, element); keys])
            }
            scalar => Sym::scalar(scalar, 0),
        }
    }

    /// The one value or the other.
    pub(crate) fn ite(condition: &Formula, then: Sym, otherwise: Sym) -> Sym {
        match (then, otherwise) {
            (Sym::Int(a), Sym::Int(b)) => Sym::Int(Term::ite(condition.clone(), a, b)),
            (Sym::Bool(a), Sym::Bool(b)) => Sym::Bool(Formula::ite(condition.clone(), a, b)),
            (Sym::Set(a), Sym::Set(b)) => {
                Sym::Set(a.into_iter().zip(b).map(|(a, b)| Formula::ite(condition.clone(), a, b)).collect())
            }
            (Sym::Array(a), Sym::Array(b)) => {
                Sym::Array(a.into_iter().zip(b).map(|(a, b)| Sym::ite(condition, a, b)).collect())
            }
            _ => unreachable!("expressions are well-sorted"),
        }
    }

    /// Whether two values are equal.
    pub(crate) fn equal(self, other: Sym) -> Formula {
        match (self, other) {
            (Sym::Int(a), Sym::Int(b)) => Formula::eq(a, b),
            (Sym::Bool(a), Sym::Bool(b)) => a.iff(b),
            (Sym::Set(a), Sym::Set(b)) => Formula::all(a.into_iter().zip(b).map(|(a, b)| a.iff(b))),
            (Sym::Array(a), Sym::Array(b)) => Formula::all(a.into_iter().zip(b).map(|(a, b)| a.equal(b))),
            _ => unreachable!("expressions are well-sorted"),
        }
    }

    /// The scalars in the order of the variables that stand for them.
    pub(crate) fn scalars<'a>(&'a self, out: &mut Vec<ScalarRef<'a>>) {
        match self {
            Sym::Int(term) => out.push(ScalarRef::Int(term)),
            Sym::Bool(formula) => out.push(ScalarRef::Bool(formula)),
            Sym::Set(members) => out.extend(members.iter().map(ScalarRef::Bool)),
            Sym::Array(elements) => elements.iter().for_each(|element| element.scalars(out)),
        }
    }

    /// The number of nodes, counted up to `most`.
    pub(crate) fn size(&self, most: usize) -> usize {
        let mut scalars = Vec::new();
        self.scalars(&mut scalars);
        let size = |scalar: &ScalarRef<'_>, most| match scalar {
            ScalarRef::Int(term) => term.size(most),
            ScalarRef::Bool(formula) => formula.size(most),
        };
        scalars.iter().fold(0, |sum: usize, scalar| (sum + size(scalar, most - sum)).min(most))
    }

    /// Whether the value is one of the sort.
    pub(crate) fn fits(&self, instance: &Instance, sort: &Sort) -> Formula {
        match (self, sort) {
            (Sym::Int(term), Sort::Range(lo, hi)) => {
                Formula::le(Term::Const(*lo), term.clone()).and(Formula::le(term.clone(), Term::Const(*hi)))
            }
            (Sym::Int(term), Sort::Enum(_) | Sort::Tid) => {
                let count = instance.count(sort) as i64;
                Formula::le(Term::Const(0), term.clone()).and(Formula::le(term.clone(), Term::Const(count - 1)))
            }
            _ => Formula::TRUE,
        }
    }
}

/// A scalar inside a value.
pub(crate) enum ScalarRef<'a> {
    Int(&'a Term),
    Bool(&'a Formula),
}
