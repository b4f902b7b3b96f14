//! Values and the sets they are taken from.

use crate::ErrorKind;
use crate::machine::numbers;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;
use threadwise_front_tw::ast::Machine;

/// The name of a variable, a label, a member of an enumeration.
pub(crate) type Name = Rc<str>;

/// Why an expression has no value or a step no outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The program is wrong.
    Error(ErrorKind),
    /// The oracle cannot tell.
    Unsupported(String),
}

/// Shorthand for [`Fault::Unsupported`].
pub(crate) fn unsupported<T>(reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Unsupported(reason.into()))
}

/// More values than this are not enumerated.
const MOST_VALUES: usize = 100_000;

/// A value. A lock is a boolean and a mutex a thread; an `rwlock` is two variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Value {
    Bool(bool),
    Int(i64),
    Machine(Machine, i128),
    /// A member of an enumeration.
    Member(Name),
    /// A thread by its number; 0 is `none`.
    Thread(usize),
    Set(BTreeSet<Value>),
    Array(BTreeMap<Value, Value>),
    Record(BTreeMap<Name, Value>),
    /// What is in a channel, the oldest first.
    Queue(Vec<Value>),
}

impl Value {
    pub(crate) fn as_bool(&self) -> Result<bool, Fault> {
        match self {
            Value::Bool(b) => Ok(*b),
            other => unsupported(format!("{other:?} is not a boolean")),
        }
    }

    pub(crate) fn as_int(&self) -> Result<i64, Fault> {
        match self {
            Value::Int(i) => Ok(*i),
            other => unsupported(format!("{other:?} is not an integer")),
        }
    }

    pub(crate) fn as_thread(&self) -> Result<usize, Fault> {
        match self {
            Value::Thread(t) => Ok(*t),
            other => unsupported(format!("{other:?} is not a thread")),
        }
    }

    pub(crate) fn as_set(&self) -> Result<&BTreeSet<Value>, Fault> {
        match self {
            Value::Set(s) => Ok(s),
            other => unsupported(format!("{other:?} is not a set")),
        }
    }

    /// The element of an array, or the field of a record.
    pub(crate) fn element(&self, key: &Value) -> Result<&Value, Fault> {
        match self {
            Value::Record(fields) => match key {
                Value::Member(name) if fields.contains_key(name) => Ok(&fields[name]),
                other => unsupported(format!("{other:?} is no field")),
            },
            Value::Array(elements) => elements.get(&key_of(elements, key)).ok_or(Fault::Error(ErrorKind::Index)),
            other => unsupported(format!("{other:?} is not an array")),
        }
    }

    /// The same, to be changed.
    pub(crate) fn element_mut(&mut self, key: &Value) -> Result<&mut Value, Fault> {
        match self {
            Value::Record(fields) => match key {
                Value::Member(name) if fields.contains_key(name) => Ok(fields.get_mut(name).expect("it is there")),
                other => unsupported(format!("{other:?} is no field")),
            },
            Value::Array(elements) => {
                let key = key_of(elements, key);
                elements.get_mut(&key).ok_or(Fault::Error(ErrorKind::Index))
            }
            other => unsupported(format!("{other:?} is not an array")),
        }
    }
}

/// A constant takes the type of the keys.
fn key_of(elements: &BTreeMap<Value, Value>, key: &Value) -> Value {
    match elements.keys().next() {
        Some(first) => key.clone().like(first),
        None => key.clone(),
    }
}

/// A type with everything in it worked out: bounds are numbers, names are replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    Bool,
    Int,
    Range(i64, i64),
    Machine(Machine),
    Enum(Vec<Name>),
    /// `none` and this many threads.
    Tid(usize),
    /// The copies of one thread: only binders have this type.
    Copies(Range<usize>),
    Set(Box<Ty>),
    Array(Box<Ty>, Box<Ty>),
    /// The fields in order of declaration.
    Record(Vec<(Name, Ty)>),
    Chan(Box<Ty>, usize),
    /// Only shared variables have this type; they are split into two.
    RwLock,
}

impl Ty {
    /// The value of a variable that nobody has stored anything in.
    pub(crate) fn default_value(&self) -> Result<Value, Fault> {
        Ok(match self {
            Ty::Bool => Value::Bool(false),
            Ty::Int => Value::Int(0),
            Ty::Range(lo, _) => Value::Int(*lo),
            Ty::Machine(ty) => Value::Machine(*ty, 0),
            Ty::Enum(members) => Value::Member(members[0].clone()),
            Ty::Tid(_) => Value::Thread(0),
            Ty::Copies(threads) => Value::Thread(threads.start),
            Ty::Set(_) => Value::Set(BTreeSet::new()),
            Ty::Array(keys, element) => {
                let default = element.default_value()?;
                Value::Array(keys.values()?.into_iter().map(|key| (key, default.clone())).collect())
            }
            Ty::Record(fields) => {
                let mut values = BTreeMap::new();
                for (name, ty) in fields {
                    values.insert(name.clone(), ty.default_value()?);
                }
                Value::Record(values)
            }
            Ty::Chan(..) => Value::Queue(Vec::new()),
            Ty::RwLock => return unsupported("a reader-writer lock inside another type"),
        })
    }

    /// All values in order.
    pub(crate) fn values(&self) -> Result<Vec<Value>, Fault> {
        match self {
            Ty::Bool => Ok(vec![Value::Bool(false), Value::Bool(true)]),
            Ty::Int => unsupported("all integers"),
            Ty::Range(lo, hi) if hi.saturating_sub(*lo) >= MOST_VALUES as i64 => unsupported("a very large range"),
            Ty::Range(lo, hi) => Ok((*lo..=*hi).map(Value::Int).collect()),
            Ty::Machine(ty) if ty.width > 16 => unsupported("all integers of many bits"),
            Ty::Machine(ty) => Ok(numbers(*ty).map(|number| Value::Machine(*ty, number)).collect()),
            Ty::Enum(members) => Ok(members.iter().cloned().map(Value::Member).collect()),
            Ty::Tid(threads) => Ok((0..=*threads).map(Value::Thread).collect()),
            Ty::Copies(threads) => Ok(threads.clone().map(Value::Thread).collect()),
            Ty::Set(element) => all_subsets(&element.values()?),
            Ty::Array(keys, element) => all_arrays(&keys.values()?, element),
            Ty::Record(fields) => all_records(fields),
            Ty::Chan(..) => unsupported("all contents of a channel"),
            Ty::RwLock => unsupported("all states of a reader-writer lock"),
        }
    }

    /// Whether a variable of this type may hold the value.
    pub(crate) fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Ty::Range(lo, hi), Value::Int(i)) => lo <= i && i <= hi,
            (Ty::Copies(threads), Value::Thread(t)) => threads.contains(t),
            (Ty::Set(element), Value::Set(elements)) => elements.iter().all(|e| element.contains(e)),
            (Ty::Record(fields), Value::Record(values)) => fields.iter().all(|(name, ty)| ty.contains(&values[name])),
            (Ty::Array(_, element), Value::Array(elements)) => elements.values().all(|e| element.contains(e)),
            _ => true,
        }
    }
}

fn all_subsets(elements: &[Value]) -> Result<Vec<Value>, Fault> {
    if elements.len() > 16 {
        return unsupported("all subsets of a large type");
    }
    let mut sets = vec![BTreeSet::new()];
    for element in elements {
        let with_element: Vec<_> = sets.iter().map(|set| with(set, element)).collect();
        sets.extend(with_element);
    }
    Ok(sets.into_iter().map(Value::Set).collect())
}

/// The set with one more element.
pub(crate) fn with(set: &BTreeSet<Value>, element: &Value) -> BTreeSet<Value> {
    let mut larger = set.clone();
    larger.insert(element.clone());
    larger
}

fn all_records(fields: &[(Name, Ty)]) -> Result<Vec<Value>, Fault> {
    let mut records = vec![BTreeMap::new()];
    for (name, ty) in fields {
        let choices = ty.values()?;
        if records.len() * choices.len() > MOST_VALUES {
            return unsupported("all values of a large record");
        }
        let with_field = |record: &BTreeMap<Name, Value>, choice: &Value| {
            let mut record = record.clone();
            record.insert(name.clone(), choice.clone());
            record
        };
        let pairs = records.iter().flat_map(|record| choices.iter().map(move |choice| with_field(record, choice)));
        records = pairs.collect();
    }
    Ok(records.into_iter().map(Value::Record).collect())
}

fn all_arrays(keys: &[Value], element: &Ty) -> Result<Vec<Value>, Fault> {
    let choices = element.values()?;
    let mut arrays = vec![BTreeMap::new()];
    for key in keys {
        let mut longer = Vec::new();
        for array in &arrays {
            for choice in &choices {
                let mut array: BTreeMap<Value, Value> = array.clone();
                array.insert(key.clone(), choice.clone());
                longer.push(array);
            }
        }
        if longer.len() > MOST_VALUES {
            return unsupported("all values of a large array");
        }
        arrays = longer;
    }
    Ok(arrays.into_iter().map(Value::Array).collect())
}
