//! Values of any sort as trees of terms.

use threadwise_ir::{Instance, Sort};
use threadwise_logic::{SmtSort, Term};

/// A symbolic value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sym {
    /// A boolean, a number, an enum member's index or a `tid`.
    Scalar(Term),
    /// For each value of the element sort, whether it is a member.
    Set(Vec<Term>),
    /// The elements in the order of the keys.
    Array(Vec<Sym>),
}

impl Sym {
    /// A number; a truth value is 0 or 1.
    pub(crate) fn number(self) -> Term {
        match self {
            Sym::Scalar(term) if *term.sort() == SmtSort::Bool => term.ite(Term::int(1), Term::int(0)),
            Sym::Scalar(term) => term,
            Sym::Set(_) | Sym::Array(_) => unreachable!("expressions are well-sorted"),
        }
    }

    pub(crate) fn formula(self) -> Term {
        match self {
            Sym::Scalar(term) if *term.sort() == SmtSort::Bool => term,
            Sym::Scalar(_) | Sym::Set(_) | Sym::Array(_) => unreachable!("expressions are well-sorted"),
        }
    }

    pub(crate) fn members(self) -> Vec<Term> {
        match self {
            Sym::Set(members) => members,
            Sym::Scalar(_) | Sym::Array(_) => unreachable!("expressions are well-sorted"),
        }
    }

    /// A scalar of the sort with this value.
    pub(crate) fn scalar(sort: &Sort, value: i64) -> Sym {
        Sym::Scalar(match sort {
            Sort::Bool => Term::bool(value != 0),
            _ => Term::int(value),
        })
    }

    /// The default of a sort.
    pub(crate) fn default(instance: &Instance, sort: &Sort) -> Sym {
        match sort {
            Sort::Range(lo, _) => Sym::Scalar(Term::int(*lo)),
            Sort::Set(element) => Sym::Set(vec![Term::bool(false); instance.count(element)]),
            Sort::Array(key, element) => {
                let keys = instance.count(key);
                Sym::Array(vec![Sym::default(instance, element); keys])
            }
            scalar => Sym::scalar(scalar, 0),
        }
    }

    /// The one value or the other.
    pub(crate) fn ite(condition: &Term, then: Sym, otherwise: Sym) -> Sym {
        match (then, otherwise) {
            (Sym::Scalar(a), Sym::Scalar(b)) => Sym::Scalar(condition.ite(a, b)),
            (Sym::Set(a), Sym::Set(b)) => Sym::Set(a.iter().zip(&b).map(|(a, b)| condition.ite(a, b)).collect()),
            (Sym::Array(a), Sym::Array(b)) => {
                Sym::Array(a.into_iter().zip(b).map(|(a, b)| Sym::ite(condition, a, b)).collect())
            }
            _ => unreachable!("expressions are well-sorted"),
        }
    }

    /// Whether two values are equal.
    pub(crate) fn equal(self, other: Sym) -> Term {
        match (self, other) {
            (Sym::Scalar(a), Sym::Scalar(b)) => a.equals(b),
            (Sym::Set(a), Sym::Set(b)) => Term::all(a.iter().zip(&b).map(|(a, b)| a.equals(b))),
            (Sym::Array(a), Sym::Array(b)) => Term::all(a.into_iter().zip(b).map(|(a, b)| a.equal(b))),
            _ => unreachable!("expressions are well-sorted"),
        }
    }

    /// The scalars in the order of the variables that stand for them.
    pub(crate) fn scalars<'a>(&'a self, out: &mut Vec<&'a Term>) {
        match self {
            Sym::Scalar(term) => out.push(term),
            Sym::Set(members) => out.extend(members),
            Sym::Array(elements) => elements.iter().for_each(|element| element.scalars(out)),
        }
    }

    /// The number of nodes, counted up to `most`.
    pub(crate) fn size(&self, most: usize) -> usize {
        let mut scalars = Vec::new();
        self.scalars(&mut scalars);
        scalars.iter().fold(0, |sum: usize, scalar| (sum + scalar.size(most - sum)).min(most))
    }

    /// Whether the value is one of the sort.
    pub(crate) fn fits(&self, instance: &Instance, sort: &Sort) -> Term {
        match (self, sort) {
            (Sym::Scalar(term), Sort::Range(lo, hi)) => term.between(Term::int(*lo), Term::int(*hi)),
            (Sym::Scalar(term), Sort::Enum(_) | Sort::Tid) => {
                let count = instance.count(sort) as i64;
                term.between(Term::int(0), Term::int(count - 1))
            }
            _ => Term::bool(true),
        }
    }
}
