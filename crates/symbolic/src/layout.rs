//! Values as terms. A scalar is one term. Sets and arrays are taken apart into a term for each key, or are arrays of the
//! solver: the [`Layout`] says which. Elements of such arrays outside the keys mean nothing.

use crate::unsupported::go_on;
use crate::{Population, Unsupported};
use threadwise_ir::{Domain, Instance, Sort};
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
    /// Terms of this size are too large; `None` where size does not matter.
    pub(crate) fn max_size(self) -> Option<usize> {
        match self {
            Layout::Unrolled => Some(MAX_SIZE),
            Layout::Arrays => None,
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
        }
    }
}

/// Whether a key is this number.
fn is(key: &Term, number: i64) -> Term {
    match key.sort() {
        SmtSort::Bool => key.equals(Term::bool(number != 0)),
        SmtSort::Int | SmtSort::Bits(_) | SmtSort::Array(..) => key.equals(Term::int(number)),
    }
}

/// The number that a key is, if that is known.
fn known(key: &Term) -> Option<i64> {
    key.as_int().or(key.as_bool().map(i64::from))
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
            Sort::Int | Sort::Set(_) | Sort::Array(..) => unreachable!("front ends admit only finite scalar keys"),
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
            Keys::Many(..) => element.into_iter().map(SmtSort::array_of).collect(),
        };
        match sort {
            Sort::Bool => vec![SmtSort::Bool],
            Sort::Int | Sort::Range(..) | Sort::Enum(_) | Sort::Tid => vec![SmtSort::Int],
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
            Keys::Many(..) => Value(element.0.iter().map(Term::filled).collect()),
        };
        match sort {
            Sort::Bool => Value::scalar(Term::bool(false)),
            Sort::Range(low, _) => Value::scalar(Term::int(*low)),
            Sort::Int | Sort::Enum(_) | Sort::Tid => Value::scalar(Term::int(0)),
            Sort::Set(element) => repeat(self.keys(element), Value::scalar(Term::bool(false))),
            Sort::Array(key, element) => repeat(self.keys(key), self.default_value(element)),
        }
    }

    /// The value that the words of a store stand for. The instance's threads must be this population's.
    pub fn value_of_words(&self, instance: &Instance, sort: &Sort, words: &[i64]) -> Value {
        let (keys, parts): (Keys, Vec<Value>) = match sort {
            Sort::Bool => return Value::scalar(Term::bool(words[0] != 0)),
            Sort::Int | Sort::Range(..) | Sort::Enum(_) | Sort::Tid => return Value::scalar(Term::int(words[0])),
            Sort::Set(element) => {
                let count = instance.count(element);
                let bit = |rank: usize| Value::scalar(Term::bool(words[rank / 64] >> (rank % 64) & 1 == 1));
                (self.keys(element), (0..count).map(bit).collect())
            }
            Sort::Array(key, element) => {
                let chunks = words.chunks(instance.words(element).max(1));
                (self.keys(key), chunks.map(|chunk| self.value_of_words(instance, element, chunk)).collect())
            }
        };
        let Keys::Many(low, _) = &keys else {
            return Value(parts.into_iter().flat_map(|part| part.0).collect());
        };
        let mut arrays = self.default_value(sort);
        for (rank, part) in parts.iter().enumerate() {
            let key = low.plus(Term::int(rank as i64));
            arrays.0 = arrays.0.iter().zip(&part.0).map(|(array, element)| array.store(&key, element)).collect();
        }
        arrays
    }

    /// Whether terms make up a value of the sort: numbers are in their ranges.
    pub fn well_formed(&self, sort: &Sort, value: &Value) -> Term {
        self.well_formed_below(sort, value, 0)
    }

    fn well_formed_below(&self, sort: &Sort, value: &Value, depth: u32) -> Term {
        match sort {
            Sort::Bool | Sort::Int | Sort::Set(_) => Term::bool(true),
            Sort::Range(..) | Sort::Enum(_) | Sort::Tid => self.keys_of_scalar(sort).contains(value.term()),
            Sort::Array(key, element) => self.for_each_key(&self.keys(key), &[value], "w", depth, &|parts| {
                self.well_formed_below(element, &parts[0], depth + 1)
            }),
        }
    }

    /// Ranges of scalars are never taken apart, so their size does not matter.
    fn keys_of_scalar(&self, sort: &Sort) -> Keys {
        match sort {
            Sort::Range(low, high) => Keys::Many(Term::int(*low), Term::int(*high)),
            _ => self.keys(sort),
        }
    }

    /// Whether a scalar is in the range of its sort.
    pub fn in_range(&self, sort: &Sort, value: &Value) -> Term {
        match sort {
            Sort::Range(..) | Sort::Enum(_) | Sort::Tid => self.keys_of_scalar(sort).contains(value.term()),
            Sort::Bool | Sort::Int | Sort::Set(_) | Sort::Array(..) => Term::bool(true),
        }
    }

    /// Whether two values are equal: what is outside the keys does not count.
    pub fn equal(&self, sort: &Sort, a: &Value, b: &Value) -> Term {
        self.equal_below(sort, a, b, 0)
    }

    fn equal_below(&self, sort: &Sort, a: &Value, b: &Value, depth: u32) -> Term {
        let (key, element) = match sort {
            Sort::Set(element) => (element, &Sort::Bool),
            Sort::Array(key, element) => (key, &**element),
            _ => return a.term().equals(b.term()),
        };
        if a == b {
            return Term::bool(true);
        }
        self.for_each_key(&self.keys(key), &[a, b], "k", depth, &|parts| {
            self.equal_below(element, &parts[0], &parts[1], depth + 1)
        })
    }

    /// The conjunction of something over the elements of arrays at the same keys.
    pub(crate) fn for_each_key(
        &self,
        keys: &Keys,
        arrays: &[&Value],
        prefix: &str,
        depth: u32,
        body: &dyn Fn(&[Value]) -> Term,
    ) -> Term {
        match keys {
            Keys::Few(_, count) => {
                let parts = (0..*count as usize).map(|rank| {
                    body(&arrays.iter().map(|array| part(array, rank, *count as usize)).collect::<Vec<Value>>())
                });
                Term::all(parts.collect::<Vec<Term>>())
            }
            Keys::Many(..) => {
                let key = Term::constant(&format!("{prefix}{depth}"), SmtSort::Int);
                let elements = arrays.iter().map(|array| select_all(array, &key)).collect::<Vec<Value>>();
                Term::forall([&key], keys.contains(&key).implies(body(&elements)))
            }
        }
    }

    /// The element of an array for a key within the keys.
    pub(crate) fn element(&self, keys: &Keys, array: &Value, key: &Term) -> Value {
        let Keys::Few(first, count) = *keys else { return select_all(array, key) };
        debug_assert!(count > 0, "arrays without keys are not read: no key is within them");
        if let Some(number) = known(key) {
            let rank = number.saturating_sub(first).clamp(0, count - 1);
            return part(array, rank as usize, count as usize);
        }
        let element = |rank: i64| part(array, rank as usize, count as usize);
        let choose = |rest, rank| Value::choose(&is(key, first + rank), &element(rank), &rest);
        (0..count - 1).rev().fold(element(count - 1), choose)
    }

    /// Whether something is a member of a set; what is no key is in no set.
    pub(crate) fn member(&self, keys: &Keys, set: &Value, key: &Term) -> Term {
        match keys {
            Keys::Few(first, _) => {
                let members = set.0.iter().enumerate();
                Term::any(members.map(|(rank, member)| is(key, first + rank as i64).and(member)))
            }
            Keys::Many(..) => keys.contains(key).and(set.term().select(key)),
        }
    }

    /// The set with an element put in or taken out.
    pub(crate) fn with_member(&self, keys: &Keys, set: &Value, key: &Term, present: bool) -> Value {
        let Keys::Few(first, _) = keys else { return Value::scalar(set.term().store(key, Term::bool(present))) };
        let changed = set.0.iter().enumerate().map(|(rank, member)| {
            let here = is(key, first + rank as i64);
            if present { member.or(here) } else { member.and(here.not()) }
        });
        Value(changed.collect())
    }

    /// A value with the element at some keys, outermost first, changed.
    pub(crate) fn updated(&self, sort: &Sort, whole: &Value, at: &[Term], value: &Value) -> Value {
        let Some((key, rest)) = at.split_first() else { return value.clone() };
        let Sort::Array(key_sort, element) = sort else { unreachable!("only arrays are indexed") };
        match self.keys(key_sort) {
            Keys::Few(first, count) => {
                let changed = (0..count).flat_map(|rank| {
                    let old = part(whole, rank as usize, count as usize);
                    Value::choose(&is(key, first + rank), &self.updated(element, &old, rest, value), &old).0
                });
                Value(changed.collect())
            }
            Keys::Many(..) => {
                let new = self.updated(element, &select_all(whole, key), rest, value);
                Value(whole.0.iter().zip(&new.0).map(|(array, element)| array.store(key, element)).collect())
            }
        }
    }
}

fn part(array: &Value, rank: usize, count: usize) -> Value {
    let size = array.0.len() / count;
    Value(array.0[rank * size..(rank + 1) * size].to_vec())
}

fn select_all(array: &Value, key: &Term) -> Value {
    Value(array.0.iter().map(|leaf| leaf.select(key)).collect())
}
