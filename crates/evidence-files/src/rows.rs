//! What the kinds of proof files have in common: long arrays with an element a line, shared stores
//! as rows of values, local states as indices into a table.

use crate::stores::{decode_frame, decode_local, local_json};
use crate::value::{decode_value, encode_value};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use threadwise_evidence::{FileError, StatesByStore, shared_layout};
use threadwise_ir::{Instance, Sort, Store, Template, TemplateId};

/// A field of the file's top level, on a line of its own.
pub(crate) fn entry(out: &mut impl Write, name: &str, value: impl Serialize) -> io::Result<()> {
    write!(out, "\"{name}\": ")?;
    serde_json::to_writer(&mut *out, &value)?;
    writeln!(out, ",")
}

/// An array with one element a line.
pub(crate) fn rows(out: &mut impl Write, rows: impl Iterator<Item = impl Serialize>) -> io::Result<()> {
    list(out, "[", "]", rows, |out, row| Ok(serde_json::to_writer(out, &row)?))
}

/// Elements on lines of their own, between brackets.
pub(crate) fn list<W: Write, T>(
    out: &mut W,
    open: &str,
    close: &str,
    elements: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut W, T) -> io::Result<()>,
) -> io::Result<()> {
    write!(out, "{open}")?;
    for (index, element) in elements.enumerate() {
        out.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        write(out, element)?;
    }
    write!(out, "\n{close}")
}

/// `"name": ` in front of a value.
pub(crate) fn key(out: &mut impl Write, name: &str) -> io::Result<()> {
    write!(out, "{}: ", serde_json::to_string(name)?)
}

/// The value of a field that must be there.
pub(crate) fn present<T>(value: Option<T>, name: &str) -> Result<T, FileError> {
    value.ok_or_else(|| FileError::new(format!("the field `{name}` is missing")))
}

/// The names of the shared variables, in the order of the rows of their values.
pub(crate) fn variable_names(instance: &Instance) -> Vec<String> {
    shared_layout(instance).into_iter().map(|(name, _)| name).collect()
}

pub(crate) fn check_variables(instance: &Instance, names: &[String]) -> Result<(), FileError> {
    let expected = variable_names(instance);
    if names == expected {
        return Ok(());
    }
    let message = format!("the shared variables of the program are [{}]", expected.join(", "));
    Err(FileError::new(message).within("variables"))
}

/// The values of the shared variables.
pub(crate) fn shared_row(instance: &Instance, layout: &[(String, &Sort)], shared: &[i64]) -> Value {
    let mut rest = shared;
    let value = |(_, sort): &(String, &Sort)| {
        let (value, after) = rest.split_at(instance.words(sort));
        rest = after;
        encode_value(instance, sort, value)
    };
    layout.iter().map(value).collect()
}

pub(crate) fn decode_row(instance: &Instance, layout: &[(String, &Sort)], row: &[Value]) -> Result<Store, FileError> {
    if row.len() != layout.len() {
        let (are, should) = (row.len(), layout.len());
        return Err(FileError::new(format!("expected {should} values, one for each variable, found {are}")));
    }
    let mut words = Vec::new();
    for (at, (value, (_, sort))) in row.iter().zip(layout).enumerate() {
        decode_value(instance, sort, value, &mut words).map_err(|e| e.at(at))?;
    }
    Ok(words.into())
}

pub(crate) fn template_named(instance: &Instance, name: &str) -> Result<TemplateId, FileError> {
    let index = instance.program.templates.iter().position(|template| *template.name == *name);
    let known = index.map(|index| TemplateId(index as u32));
    known.ok_or_else(|| FileError::new(format!("the program has no thread `{name}`")))
}

/// Whether the local states in a table are complete or just one frame each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    Whole,
    RunningFrame,
}

/// For each thread its local states by number.
pub(crate) fn write_tables<'t>(
    out: &mut impl Write,
    instance: &Instance,
    tables: impl Iterator<Item = &'t [Store]>,
) -> io::Result<()> {
    let named = instance.program.templates.iter().zip(tables);
    list(out, "{", "}", named, |out, (template, locals)| {
        key(out, &template.name)?;
        rows(out, locals.iter().map(|local| local_json(instance, local)))
    })
}

pub(crate) fn decode_tables(
    instance: &Instance,
    depth: Depth,
    given: &BTreeMap<String, Vec<Value>>,
) -> Result<Vec<Vec<Store>>, FileError> {
    for name in given.keys() {
        template_named(instance, name)?;
    }
    let states_of = |(index, template): (usize, &Template)| {
        let missing = || FileError::new(format!("the thread `{}` is missing", template.name));
        let states = given.get(&*template.name).ok_or_else(missing)?;
        let decode = |(at, value): (usize, &Value)| {
            let local = match depth {
                Depth::Whole => decode_local(instance, TemplateId(index as u32), value),
                Depth::RunningFrame => decode_single_frame(instance, value),
            };
            local.map_err(|e| e.at(at).within(&template.name))
        };
        states.iter().enumerate().map(decode).collect()
    };
    instance.program.templates.iter().enumerate().map(states_of).collect()
}

/// A local state that is reduced to its running frame: an array of that frame.
fn decode_single_frame(instance: &Instance, value: &Value) -> Result<Store, FileError> {
    let frames = crate::file::array(value)?;
    let [frame] = frames else {
        return Err(FileError::new(format!("expected one frame, the running one, found {}", frames.len())));
    };
    let mut words = Vec::new();
    decode_frame(instance, frame, &mut words).map_err(|e| e.at(0))?;
    Ok(words.into())
}

/// Numbers local states in the order in which they are met.
#[derive(Default)]
pub(crate) struct Table<'a> {
    numbers: HashMap<&'a [i64], u32>,
    pub(crate) locals: Vec<Store>,
}

impl<'a> Table<'a> {
    pub(crate) fn number(&mut self, local: &'a Store) -> u32 {
        let next = self.locals.len() as u32;
        let number = *self.numbers.entry(local).or_insert(next);
        if number == next {
            self.locals.push(local.clone());
        }
        number
    }
}

/// The local states that go with a shared store, as it stands in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StatesRow {
    shared: Value,
    locals: Vec<u32>,
}

impl StatesRow {
    pub(crate) fn encode<'a>(
        instance: &Instance,
        layout: &[(String, &Sort)],
        (shared, locals): &'a (Store, Vec<Store>),
        table: &mut Table<'a>,
    ) -> StatesRow {
        let locals = locals.iter().map(|local| table.number(local)).collect();
        StatesRow { shared: shared_row(instance, layout, shared), locals }
    }

    pub(crate) fn decode(
        &self,
        instance: &Instance,
        layout: &[(String, &Sort)],
        table: &[Store],
    ) -> Result<(Store, Vec<Store>), FileError> {
        let row = crate::file::array(&self.shared).map_err(|e| e.within("shared"))?;
        let shared = decode_row(instance, layout, row).map_err(|e| e.within("shared"))?;
        let local = |(at, &number): (usize, &u32)| {
            let known = table.get(number as usize).cloned();
            known.ok_or_else(|| FileError::new("the index is out of range").at(at).within("locals"))
        };
        Ok((shared, self.locals.iter().enumerate().map(local).collect::<Result<_, _>>()?))
    }

    pub(crate) fn decode_all(
        rows: &[StatesRow],
        instance: &Instance,
        table: &[Store],
    ) -> Result<StatesByStore, FileError> {
        let layout = shared_layout(instance);
        rows.iter().enumerate().map(|(at, row)| row.decode(instance, &layout, table).map_err(|e| e.at(at))).collect()
    }
}
