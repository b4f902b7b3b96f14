//! Values as JSON and back.
//!
//! | sort | JSON |
//! |---|---|
//! | `bool` | `true`, `false` |
//! | `int`, ranges, machine integers | a number |
//! | an enumeration | the member's name |
//! | `tid` | `"none"`, `"P"`, `"W[2]"` |
//! | `set<T>` | an array of the elements, ascending |
//! | `[K]T` | an array of the elements in the order of the keys |

use crate::file::{array, expected, string};
use serde_json::Value;
use threadwise_evidence::{FileError, scalar_name, set_elements};
use threadwise_ir::{Bits, Copies, Instance, Sort};

/// A value of a sort as JSON. The words must be a value of the sort.
pub fn encode_value(instance: &Instance, sort: &Sort, words: &[i64]) -> Value {
    match sort {
        Sort::Bool => Value::Bool(words[0] != 0),
        Sort::Int | Sort::Range(..) => Value::from(words[0]),
        Sort::Bits(bits) => machine_json(*bits, words[0]),
        Sort::Enum(_) | Sort::Tid => Value::String(scalar_name(instance, sort, words[0])),
        Sort::Set(element) => {
            let elements = set_elements(instance, element, words);
            elements.map(|value| encode_value(instance, element, &[value])).collect()
        }
        Sort::Array(_, element) => {
            let size = instance.words(element).max(1);
            words.chunks(size).map(|chunk| encode_value(instance, element, chunk)).collect()
        }
    }
}

/// A machine integer as a number.
pub(crate) fn machine_json(bits: Bits, word: i64) -> Value {
    if bits.signed { Value::from(word) } else { Value::from(word as u64) }
}

/// The word of a machine integer that is given as a number.
pub(crate) fn decode_machine(bits: Bits, value: &Value) -> Result<i64, FileError> {
    let number = value.as_i64().map(i128::from).or(value.as_u64().map(i128::from));
    number.and_then(|number| bits.word(number)).ok_or_else(|| expected(&format!("a number of type `{bits}`"), value))
}

/// Appends the words of a value given as JSON.
pub fn decode_value(instance: &Instance, sort: &Sort, value: &Value, out: &mut Vec<i64>) -> Result<(), FileError> {
    match sort {
        Sort::Set(element) => decode_set(instance, sort, element, value, out),
        Sort::Array(key, element) => decode_array(instance, key, element, value, out),
        scalar => {
            out.push(decode_scalar(instance, scalar, value)?);
            Ok(())
        }
    }
}

fn decode_scalar(instance: &Instance, sort: &Sort, value: &Value) -> Result<i64, FileError> {
    match sort {
        Sort::Bool => value.as_bool().map(i64::from).ok_or_else(|| expected("true or false", value)),
        Sort::Range(lo, hi) => {
            let number = value.as_i64().filter(|number| (lo..=hi).contains(&number));
            number.ok_or_else(|| expected(&format!("a number from {lo} to {hi}"), value))
        }
        Sort::Bits(bits) => decode_machine(*bits, value),
        Sort::Enum(id) => {
            let definition = &instance.program.enums[id.index()];
            let name = string(value)?;
            let index = definition.members.iter().position(|member| **member == *name);
            let what = || expected(&format!("a member of `{}`", definition.name), value);
            index.map(|index| index as i64).ok_or_else(what)
        }
        Sort::Tid => {
            let known = tid_of_name(instance, string(value)?);
            known.ok_or_else(|| expected("`none` or a thread of the program", value))
        }
        Sort::Int | Sort::Set(_) | Sort::Array(..) => {
            value.as_i64().ok_or_else(|| expected("a whole number of at most 64 bits", value))
        }
    }
}

fn decode_set(
    instance: &Instance,
    sort: &Sort,
    element: &Sort,
    value: &Value,
    out: &mut Vec<i64>,
) -> Result<(), FileError> {
    let mut words = vec![0i64; instance.words(sort)];
    for (index, item) in array(value)?.iter().enumerate() {
        let mut decoded = Vec::new();
        decode_value(instance, element, item, &mut decoded).map_err(|e| e.at(index))?;
        let rank = match decoded.as_slice() {
            [word] => instance.rank(element, *word),
            _ => None,
        };
        let Some(rank) = rank.filter(|rank| rank / 64 < words.len()) else {
            return Err(expected("an element of the set's type", item).at(index));
        };
        if words[rank / 64] >> (rank % 64) & 1 == 1 {
            return Err(FileError::new("the element occurs twice").at(index));
        }
        words[rank / 64] |= 1 << (rank % 64);
    }
    out.extend(words);
    Ok(())
}

fn decode_array(
    instance: &Instance,
    key: &Sort,
    element: &Sort,
    value: &Value,
    out: &mut Vec<i64>,
) -> Result<(), FileError> {
    let items = array(value)?;
    let keys = if instance.words(element) > 0 { instance.keys(key) } else { 0 };
    if items.len() != keys {
        return Err(FileError::new(format!("expected {keys} elements, one for each key, found {}", items.len())));
    }
    for (index, item) in items.iter().enumerate() {
        decode_value(instance, element, item, out).map_err(|e| e.at(index))?;
    }
    Ok(())
}

/// The number of the thread with this name; 0 for `none`.
pub(crate) fn tid_of_name(instance: &Instance, name: &str) -> Option<i64> {
    if name == "none" {
        return Some(0);
    }
    let (template_name, copy) = match name.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
        Some((template, copy)) => (template, copy.parse::<u32>().ok()?),
        None => (name, 1),
    };
    let tid = tid_of_copy(instance, template_name, copy)?;
    // Rejects `W` for a replicated thread, `P[1]` for a single one, and odd numbers like `W[02]`.
    (instance.tid_name(tid) == name).then_some(tid)
}

/// The number of a copy (counted from 1) of the thread with this name.
pub(crate) fn tid_of_copy(instance: &Instance, template: &str, copy: u32) -> Option<i64> {
    let index = instance
        .threads
        .iter()
        .position(|thread| thread.copy == copy && *instance.program.template(thread.template).name == *template)?;
    Some(index as i64 + 1)
}

/// Whether the sort's copies are told apart by numbers.
pub(crate) fn is_replicated(copies: Copies) -> bool {
    copies != Copies::Single
}
