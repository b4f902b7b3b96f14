//! Values as terms. A scalar is one term. Sets and arrays are taken apart into a term for each key, or are arrays of the
//! solver: the [`Layout`] says which. Elements of such arrays outside the keys mean nothing.

use crate::unsupported::go_on;
use crate::{Population, Unsupported};
use threadwise_ir::{Domain, Sort};
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::Session;
use threadwise_source::Span;

/// Up to so many keys are taken apart where there are arrays.
const FEW: i64 = 16;

/// Terms that are written out for all keys and become larger than this are not treated.
const MAX_SIZE: usize = 2000;

/// What sets and arrays are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// A term for each key, however many there are, so that all is linear arithmetic over scalars, for whoever looks
    /// into the terms.
    Unrolled,
    /// A term for each of a few keys. Where there are many, or one for each of an unknown number of threads, an array
    /// of the solver.
    Arrays,
}

impl Layout {
    /// Whether something is too large, given its size up to some size.
    pub(crate) fn is_too_large(self, size: impl Fn(usize) -> usize) -> bool {
        match self {
            Layout::Unrolled => size(MAX_SIZE) >= MAX_SIZE,
            Layout::Arrays => false,
        }
    }

    /// Whether it is still worth going on: what is written out for all keys may take long.
    pub(crate) fn go_on(self, span: Span) -> Result<(), Unsupported> {
        match self {
            Layout::Unrolled => go_on(span),
            Layout::Arrays => Ok(()),
        }
    }
}

/// The terms that make up a value, in the order of the keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value(pub Vec<Term>);

/// The keys of an array, the possible elements of a set, or what a quantifier ranges over. A key is a number, or a truth
/// value where keys are truth values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Keys {
    /// These numbers: the first, and how many.
    Few(i64, i64),
    /// The numbers between these, both included.
    Many(Term, Term),
    /// All integers.
    All,
}

impl Keys {
    fn between(layout: Layout, low: &Term, high: &Term) -> Keys {
        match (layout, low.as_int(), high.as_int()) {
            (Layout::Arrays, Some(low), Some(high)) if high.saturating_sub(low) >= FEW => {
                Keys::Many(Term::int(low), Term::int(high))
            }
            (_, Some(low), Some(high)) => Keys::Few(low, high.saturating_sub(low).saturating_add(1).max(0)),
            _ => Keys::Many(low.clone(), high.clone()),
        }
    }

    pub(crate) fn contains(&self, key: &Term) -> Term {
        match self {
            _ if *key.sort() == SmtSort::Bool => Term::bool(true),
            Keys::Few(_, 0) => Term::bool(false),
            Keys::Few(first, count) => key.between(Term::int(*first), Term::int(first + (count - 1))),
            Keys::Many(low, high) => key.between(low, high),
            Keys::All => Term::bool(true),
        }
    }
}

impl Value {
    /// A value of one term.
    pub fn scalar(term: Term) -> Value {
        Value(vec![term])
    }

    /// The term of a scalar.
    pub fn term(&self) -> &Term {
        &self.0[0]
    }

    /// The number of nodes, counted up to `most`.
    pub(crate) fn size(&self, most: usize) -> usize {
        self.0.iter().fold(0, |sum: usize, leaf| (sum + leaf.size(most - sum)).min(most))
    }

    /// This where the condition holds, else the other.
    pub fn choose(condition: &Term, a: &Value, b: &Value) -> Value {
        Value(a.0.iter().zip(&b.0).map(|(a, b)| condition.ite(a, b)).collect())
    }

    /// Whether both are the same term by term, elements outside the keys included.
    pub fn same(&self, other: &Value) -> Term {
        Term::all(self.0.iter().zip(&other.0).map(|(a, b)| a.equals(b)).collect::<Vec<Term>>())
    }
}

impl Population {
    pub(crate) fn keys(&self, sort: &Sort) -> Keys {
        let (low, high) = match sort {
            Sort::Bool => (Term::int(0), Term::int(1)),
            Sort::Range(low, high) => (Term::int(*low), Term::int(*high)),
            Sort::Enum(id) => (Term::int(0), Term::int(self.program.enums[id.index()].members.len() as i64 - 1)),
            Sort::Tid => (Term::int(0), self.total().clone()),
            Sort::Bits(bits) => {
                let (least, most) = bits.bounds();
                (Term::number(least), Term::number(most))
            }
            Sort::Int => return Keys::All,
            Sort::Set(_) | Sort::Array(..) => unreachable!("front ends admit only scalar keys"),
        };
        Keys::between(self.layout, &low, &high)
    }

    pub(crate) fn domain(&self, domain: &Domain) -> Keys {
        match domain {
            Domain::Sort(sort) => self.keys(sort),
            Domain::Copies(template) => Keys::between(self.layout, self.first(*template), &self.last(*template)),
        }
    }

    /// The sorts of the terms that make up a value.
    pub fn leaf_sorts(&self, sort: &Sort) -> Vec<SmtSort> {
        let repeat = |keys: Keys, element: Vec<SmtSort>| match keys {
            Keys::Few(_, count) => (0..count).flat_map(|_| element.clone()).collect(),
            Keys::Many(..) | Keys::All => element.into_iter().map(SmtSort::array_of).collect(),
        };
        match sort {
            Sort::Bool => vec![SmtSort::Bool],
            Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => vec![SmtSort::Int],
            Sort::Set(element) => repeat(self.keys(element), vec![SmtSort::Bool]),
            Sort::Array(key, element) => repeat(self.keys(key), self.leaf_sorts(element)),
        }
    }

    /// Names for the terms of a value: the name alone if there is one, else with a number.
    pub fn named(&self, name: &str, sort: &Sort) -> Value {
        let leaves = self.leaf_sorts(sort);
        if let [only] = &leaves[..] {
            return Value::scalar(Term::constant(name, only.clone()));
        }
        let numbered = |(index, leaf)| Term::constant(&format!("{name}.{index}"), leaf);
        Value(leaves.into_iter().enumerate().map(numbered).collect())
    }

    /// Declares constants for a value. That they are a value of the sort is another matter: see
    /// [`Population::well_formed`].
    pub fn declare_value(&self, session: &mut Session, name: &str, sort: &Sort) -> Value {
        let value = self.named(name, sort);
        session.declare_all(&value.0);
        value
    }

    /// Gives the terms of a value names, so that they are written out only once.
    pub fn define_value(&self, session: &mut Session, name: &str, sort: &Sort, value: &Value) -> Value {
        let names = self.named(name, sort);
        for (name, term) in names.0.iter().zip(&value.0) {
            session.define(name.name().expect("it is a constant"), term);
        }
        names
    }

    /// The default of a sort.
    pub fn default_value(&self, sort: &Sort) -> Value {
        let repeat = |keys: Keys, element: Value| match keys {
            Keys::Few(_, count) => Value((0..count).flat_map(|_| element.0.clone()).collect()),
            Keys::Many(..) | Keys::All => Value(element.0.iter().map(Term::filled).collect()),
        };
        match sort {
            Sort::Bool => Value::scalar(Term::bool(false)),
            Sort::Range(low, _) => Value::scalar(Term::int(*low)),
            Sort::Int | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => Value::scalar(Term::int(0)),
            Sort::Set(element) => repeat(self.keys(element), Value::scalar(Term::bool(false))),
            Sort::Array(key, element) => repeat(self.keys(key), self.default_value(element)),
        }
    }

    /// Whether terms make up a value of the sort: numbers are in their ranges.
    pub fn well_formed(&self, sort: &Sort, value: &Value) -> Term {
        self.well_formed_below(sort, value, 0)
    }

    fn well_formed_below(&self, sort: &Sort, value: &Value, depth: u32) -> Term {
        match sort {
            Sort::Bool | Sort::Int | Sort::Set(_) => Term::bool(true),
            Sort::Range(..) | Sort::Enum(_) | Sort::Tid => self.in_range(sort, value),
            Sort::Bits(bits) => {
                let (least, most) = bits.bounds();
                value.term().between(Term::number(least), Term::number(most))
            }
            Sort::Array(key, element) => self.for_each_key(&self.keys(key), &[value], "w", depth, &|parts| {
                self.well_formed_below(element, &parts[0], depth + 1)
            }),
        }
    }

    /// Whether a scalar is in the range of its sort.
    pub fn in_range(&self, sort: &Sort, value: &Value) -> Term {
        match sort {
            Sort::Range(low, high) => value.term().between(Term::int(*low), Term::int(*high)),
            Sort::Enum(_) | Sort::Tid => self.keys(sort).contains(value.term()),
            // What is computed wraps around.
            Sort::Bits(_) => Term::bool(true),
            Sort::Bool | Sort::Int | Sort::Set(_) | Sort::Array(..) => Term::bool(true),
        }
    }
}
