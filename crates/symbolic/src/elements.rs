//! Elements of arrays and members of sets.

use crate::layout::Keys;
use crate::{Population, Value};
use threadwise_ir::{Instance, Sort};
use threadwise_logic::{SmtSort, Term};

impl Population {
    /// Whether two values are equal: what is outside the keys does not count.
    pub fn equal(&self, sort: &Sort, a: &Value, b: &Value) -> Term {
        self.equal_below(sort, a, b, 0)
    }

    fn equal_below(&self, sort: &Sort, a: &Value, b: &Value, depth: u32) -> Term {
        let (key, element) = match sort {
            Sort::Set(element) => (element, &Sort::Bool),
            Sort::Array(key, element) => (key, &**element),
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => {
                return a.term().equals(b.term());
            }
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
            Keys::Many(..) | Keys::All => {
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

    /// The scalars of a value in the order of the instance's keys; its threads must be this population's.
    pub fn scalars(&self, instance: &Instance, sort: &Sort, value: &Value) -> Vec<Term> {
        let (key, element) = match sort {
            Sort::Set(element) => (&**element, &Sort::Bool),
            Sort::Array(key, element) => (&**key, &**element),
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => {
                return value.0.clone();
            }
        };
        let keys = self.keys(key);
        let elements = (0..instance.keys(key)).map(|rank| Term::int(instance.unrank(key, rank)));
        let scalars = |key: Term| self.scalars(instance, element, &self.element(&keys, value, &key));
        elements.flat_map(scalars).collect()
    }

    /// Whether something is a member of a set; what is no key is in no set.
    pub(crate) fn member(&self, keys: &Keys, set: &Value, key: &Term) -> Term {
        match keys {
            Keys::Few(first, _) => {
                let members = set.0.iter().enumerate();
                Term::any(members.map(|(rank, member)| is(key, first + rank as i64).and(member)))
            }
            Keys::Many(..) | Keys::All => keys.contains(key).and(set.term().select(key)),
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
            Keys::Many(..) | Keys::All => {
                let new = self.updated(element, &select_all(whole, key), rest, value);
                Value(whole.0.iter().zip(&new.0).map(|(array, element)| array.store(key, element)).collect())
            }
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

fn part(array: &Value, rank: usize, count: usize) -> Value {
    let size = array.0.len() / count;
    Value(array.0[rank * size..(rank + 1) * size].to_vec())
}

fn select_all(array: &Value, key: &Term) -> Value {
    Value(array.0.iter().map(|leaf| leaf.select(key)).collect())
}
