//! Values as terms. A scalar is one term. Sets and arrays with few keys are taken apart into a term for
//! each key; those with many keys, or with a key for each of an unknown number of threads, are
//! arrays of the solver. Elements of such arrays outside the keys mean nothing.

use super::Population;
use threadwise_ir::{Domain, Instance, Sort};
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::Session;

/// Up to so many keys are taken apart.
const FEW: i64 = 16;

/// The terms that make up a value, in the order of the keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value(pub Vec<Term>);

/// The keys of an array, the possible elements of a set, or what a quantifier ranges over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Keys {
    /// These numbers: the first, and how many.
    Few(i64, i64),
    /// The numbers between these, both included.
    Many(Term, Term),
}

impl Keys {
    fn between(low: &Term, high: &Term) -> Keys {
        match (low.as_int(), high.as_int()) {
            (Some(low), Some(high)) if high.saturating_sub(low) < FEW => Keys::Few(low, (high - low + 1).max(0)),
            _ => Keys::Many(low.clone(), high.clone()),
        }
    }

    pub(crate) fn contains(&self, key: &Term) -> Term {
        match self {
            Keys::Few(first, count) => key.between(Term::int(*first), Term::int(first + (count - 1))),
            Keys::Many(low, high) => key.between(low, high),
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
        Keys::between(&low, &high)
    }

    pub(crate) fn domain(&self, domain: &Domain) -> Keys {
        match domain {
            Domain::Sort(sort) => self.keys(sort),
            Domain::Copies(template) => Keys::between(self.first(*template), &self.last(*template)),
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
        let keyed = parts.iter().enumerate().map(|(rank, part)| (low.plus(Term::int(rank as i64)), part));
        keyed.fold(self.default_value(sort), |array, (key, part)| self.with_element(&keys, &array, &key, part))
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

    /// The element of an array, or whether a set has an element, for a key within the keys.
    pub(crate) fn element(&self, keys: &Keys, array: &Value, key: &Term) -> Value {
        match (keys, key.as_int()) {
            (Keys::Many(..), _) => select_all(array, key),
            (Keys::Few(_, 0), _) => unreachable!("arrays without keys are not read: no key is within them"),
            (Keys::Few(first, count), Some(known)) => {
                let rank = (known - first).clamp(0, count - 1) as usize;
                part(array, rank, *count as usize)
            }
            (Keys::Few(first, count), None) => {
                let count = *count as usize;
                let mut result = part(array, count - 1, count);
                for rank in (0..count - 1).rev() {
                    let here = key.equals(Term::int(first + rank as i64));
                    result = Value::choose(&here, &part(array, rank, count), &result);
                }
                result
            }
        }
    }

    /// The array with the element at a key changed.
    pub(crate) fn with_element(&self, keys: &Keys, array: &Value, key: &Term, element: &Value) -> Value {
        match keys {
            Keys::Many(..) => Value(array.0.iter().zip(&element.0).map(|(a, e)| a.store(key, e)).collect()),
            Keys::Few(first, count) => {
                let changed = (0..*count as usize).flat_map(|rank| {
                    let here = key.equals(Term::int(first + rank as i64));
                    Value::choose(&here, element, &part(array, rank, *count as usize)).0
                });
                Value(changed.collect())
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
