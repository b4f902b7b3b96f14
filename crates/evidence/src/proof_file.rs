//! Proof files: what `check --proof` writes and `audit` reads.
//!
//! A proof may list millions of states, so it is written row by row, and its states are read into
//! one flat array.

use crate::file::{FileError, Header, check_any_copies, check_format};
use crate::stores::{decode_local, local_json, shared_layout};
use crate::value::{decode_value, encode_value};
use crate::{Proof, ReachableSet};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::sync::Arc;
use threadwise_ir::{Instance, Program, Sort, Store, TemplateId};

const FORMAT: &str = "threadwise-proof";
const KIND: &str = "reachable-set";

/// Writes a proof. `defines` are the constants that were overridden, as with `-D`.
pub fn write_proof(
    out: impl Write,
    program: &Arc<Program>,
    proof: &Proof,
    defines: &BTreeMap<String, i64>,
) -> io::Result<()> {
    let Proof::Reachable(set) = proof;
    let instance = Instance::new(program.clone(), 0);
    let layout = shared_layout(&instance);
    let mut out = BufWriter::new(out);
    writeln!(out, "{{")?;
    entry(&mut out, "format", FORMAT)?;
    entry(&mut out, "version", 1)?;
    entry(&mut out, "kind", KIND)?;
    entry(&mut out, "program", program.source.name())?;
    entry(&mut out, "defines", defines)?;
    entry(&mut out, "any_copies", 0)?;
    let symmetric: Vec<&str> = set.symmetric.iter().map(|template| &*program.template(*template).name).collect();
    entry(&mut out, "symmetric", symmetric)?;
    let names: Vec<&str> = layout.iter().map(|(name, _)| name.as_str()).collect();
    entry(&mut out, "variables", names)?;
    write!(out, "\"shared\": ")?;
    rows(&mut out, set.shared.iter().map(|shared| shared_row(&instance, &layout, shared)))?;
    write!(out, ",\n\"locals\": {{")?;
    for (index, (template, locals)) in program.templates.iter().zip(&set.locals).enumerate() {
        write!(out, "{}{}: ", if index == 0 { "\n" } else { ",\n" }, serde_json::to_string(&*template.name)?)?;
        rows(&mut out, locals.iter().map(|local| local_json(&instance, local)))?;
    }
    write!(out, "\n}},\n\"states\": ")?;
    rows(&mut out, set.rows(&instance))?;
    writeln!(out, "\n}}")?;
    out.flush()
}

fn entry(out: &mut impl Write, name: &str, value: impl Serialize) -> io::Result<()> {
    write!(out, "\"{name}\": ")?;
    serde_json::to_writer(&mut *out, &value)?;
    writeln!(out, ",")
}

/// An array with one element a line.
fn rows(out: &mut impl Write, rows: impl Iterator<Item = impl Serialize>) -> io::Result<()> {
    write!(out, "[")?;
    for (index, row) in rows.enumerate() {
        out.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &row)?;
    }
    write!(out, "\n]")
}

fn shared_row(instance: &Instance, layout: &[(String, &Sort)], shared: &[i64]) -> Value {
    let mut rest = shared;
    let value = |(_, sort): &(String, &Sort)| {
        let (value, after) = rest.split_at(instance.words(sort));
        rest = after;
        encode_value(instance, sort, value)
    };
    layout.iter().map(value).collect()
}

/// The file as it stands. Fields may be missing here, so that a file of another format is told so
/// first.
#[derive(Clone, Debug, Deserialize)]
struct ProofIn {
    format: Option<String>,
    version: Option<u64>,
    kind: Option<String>,
    program: Option<String>,
    defines: Option<BTreeMap<String, i64>>,
    any_copies: Option<u32>,
    symmetric: Option<Vec<String>>,
    variables: Option<Vec<String>>,
    shared: Option<Vec<Vec<Value>>>,
    locals: Option<BTreeMap<String, Vec<Value>>>,
    states: Option<Rows>,
}

/// A proof file that has been read but not yet been fitted to a program: the program cannot be
/// loaded before the header is known, since it says which constants were overridden.
#[derive(Clone, Debug)]
pub struct ProofFile {
    header: Header,
    body: ProofIn,
}

impl ProofFile {
    /// Reads a file as far as that goes without the program.
    pub fn read(input: impl Read) -> Result<ProofFile, FileError> {
        let mut body: ProofIn = serde_json::from_reader(BufReader::new(input))?;
        check_format(&present(body.format.take(), "format")?, present(body.version, "version")?, FORMAT)?;
        let kind = present(body.kind.take(), "kind")?;
        if kind != KIND {
            return Err(FileError::new(format!("proofs of the kind `{kind}` are not known")).within("kind"));
        }
        let any_copies = present(body.any_copies, "any_copies")?;
        let header = Header {
            program: present(body.program.take(), "program")?,
            defines: present(body.defines.take(), "defines")?,
            any_copies: check_any_copies(any_copies).map_err(|e| e.within("any_copies"))?,
        };
        Ok(ProofFile { header, body })
    }

    /// What the file says about its program.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The proof, fitted to the program. Whether it proves anything is for the checker to say.
    pub fn into_proof(self, program: &Arc<Program>) -> Result<Proof, FileError> {
        let instance = Instance::new(program.clone(), self.header.any_copies);
        let body = self.body;
        check_variables(&instance, &present(body.variables, "variables")?)?;
        let states = present(body.states, "states")?;
        let width = 1 + instance.threads.len();
        if states.width.is_some_and(|found| found != width) {
            let message = format!("a state has {width} numbers: the shared store's and one for each thread");
            return Err(FileError::new(message).within("states"));
        }
        let set = ReachableSet {
            symmetric: symmetric(&instance, &present(body.symmetric, "symmetric")?)?,
            shared: shared_stores(&instance, &present(body.shared, "shared")?)?,
            locals: local_states(&instance, &present(body.locals, "locals")?)?,
            states: states.words,
        };
        set.validate(&instance)?;
        Ok(Proof::Reachable(set))
    }
}

fn present<T>(value: Option<T>, name: &str) -> Result<T, FileError> {
    value.ok_or_else(|| FileError::new(format!("the field `{name}` is missing")))
}

fn check_variables(instance: &Instance, names: &[String]) -> Result<(), FileError> {
    let layout = shared_layout(instance);
    if names.iter().eq(layout.iter().map(|(name, _)| name)) {
        return Ok(());
    }
    let expected: Vec<&str> = layout.iter().map(|(name, _)| name.as_str()).collect();
    let message = format!("the shared variables of the program are [{}]", expected.join(", "));
    Err(FileError::new(message).within("variables"))
}

fn template_named(instance: &Instance, name: &str) -> Result<TemplateId, FileError> {
    let index = instance.program.templates.iter().position(|template| *template.name == *name);
    let known = index.map(|index| TemplateId(index as u32));
    known.ok_or_else(|| FileError::new(format!("the program has no thread `{name}`")))
}

fn symmetric(instance: &Instance, names: &[String]) -> Result<Vec<TemplateId>, FileError> {
    let template =
        |(at, name): (usize, &String)| template_named(instance, name).map_err(|e| e.at(at).within("symmetric"));
    names.iter().enumerate().map(template).collect()
}

fn shared_stores(instance: &Instance, rows: &[Vec<Value>]) -> Result<Vec<Store>, FileError> {
    let layout = shared_layout(instance);
    let store = |(index, row): (usize, &Vec<Value>)| {
        let whole = || {
            if row.len() != layout.len() {
                let (are, should) = (row.len(), layout.len());
                return Err(FileError::new(format!("expected {should} values, one for each variable, found {are}")));
            }
            let mut words = Vec::new();
            for (at, (value, (_, sort))) in row.iter().zip(&layout).enumerate() {
                decode_value(instance, sort, value, &mut words).map_err(|e| e.at(at))?;
            }
            Ok(words.into())
        };
        whole().map_err(|e: FileError| e.at(index).within("shared"))
    };
    rows.iter().enumerate().map(store).collect()
}

fn local_states(instance: &Instance, given: &BTreeMap<String, Vec<Value>>) -> Result<Vec<Vec<Store>>, FileError> {
    for name in given.keys() {
        template_named(instance, name).map_err(|e| e.within("locals"))?;
    }
    let states_of = |(index, template): (usize, &threadwise_ir::Template)| {
        let missing = || FileError::new(format!("the thread `{}` is missing", template.name)).within("locals");
        let states = given.get(&*template.name).ok_or_else(missing)?;
        let decode = |(at, value): (usize, &Value)| {
            decode_local(instance, TemplateId(index as u32), value)
                .map_err(|e| e.at(at).within(&template.name).within("locals"))
        };
        states.iter().enumerate().map(decode).collect()
    };
    instance.program.templates.iter().enumerate().map(states_of).collect()
}

/// Rows of numbers, all of the same width, in one flat array.
#[derive(Clone, Debug, Default)]
struct Rows {
    words: Vec<u32>,
    width: Option<usize>,
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rows, D::Error> {
        deserializer.deserialize_seq(RowsVisitor)
    }
}

struct RowsVisitor;

impl<'de> Visitor<'de> for RowsVisitor {
    type Value = Rows;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of states")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Rows, A::Error> {
        let mut rows = Rows::default();
        while let Some(row) = seq.next_element::<Vec<u32>>()? {
            if *rows.width.get_or_insert(row.len()) != row.len() {
                return Err(A::Error::custom("the states are not all of the same length"));
            }
            rows.words.extend(row);
        }
        Ok(rows)
    }
}
