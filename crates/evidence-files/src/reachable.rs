//! Proofs by a set of states in files. A set may have millions of states, so they are written row by
//! row, and read into one flat array.

use crate::rows::{Depth, decode_row, decode_tables, rows, shared_row, template_named, write_tables};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use threadwise_evidence::{FileError, Folding, ReachableSet, shared_layout};
use threadwise_ir::{Instance, LocalId, LocationId, Store, TemplateId};

/// Writes the fields of the set.
pub(crate) fn write(out: &mut impl Write, instance: &Instance, set: &ReachableSet) -> io::Result<()> {
    let program = &instance.program;
    let layout = shared_layout(instance);
    let symmetric: Vec<&str> = set.symmetric.iter().map(|template| &*program.template(*template).name).collect();
    crate::rows::entry(out, "symmetric", symmetric)?;
    crate::rows::entry(out, "folding", FoldingFile::of(&set.folding))?;
    write!(out, "\"shared\": ")?;
    rows(out, set.shared.iter().map(|shared| shared_row(instance, &layout, shared)))?;
    write!(out, ",\n\"locals\": ")?;
    write_tables(out, instance, set.locals.iter().map(Vec::as_slice))?;
    write!(out, ",\n\"states\": ")?;
    rows(out, set.rows(instance))
}

/// The fields of the set as they stand in the file.
pub(crate) struct ReachableIn {
    pub(crate) symmetric: Vec<String>,
    pub(crate) folding: FoldingFile,
    pub(crate) shared: Vec<Vec<Value>>,
    pub(crate) locals: BTreeMap<String, Vec<Value>>,
    pub(crate) states: Rows,
}

impl ReachableIn {
    pub(crate) fn decode(self, instance: &Instance) -> Result<ReachableSet, FileError> {
        let width = 1 + instance.threads.len();
        if self.states.width.is_some_and(|found| found != width) {
            let message = format!("a state has {width} numbers: the shared store's and one for each thread");
            return Err(FileError::new(message).within("states"));
        }
        let set = ReachableSet {
            symmetric: symmetric(instance, &self.symmetric)?,
            folding: self.folding.decode(),
            shared: shared_stores(instance, &self.shared)?,
            locals: decode_tables(instance, Depth::Whole, &self.locals).map_err(|e| e.within("locals"))?,
            states: self.states.words,
        };
        set.validate(instance)?;
        Ok(set)
    }
}

/// Points that are passed within a step, and at which locations which locals are forgotten, as numbers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FoldingFile {
    points: Vec<u32>,
    forgotten: Vec<(u32, Vec<u32>)>,
}

impl FoldingFile {
    fn of(folding: &Folding) -> FoldingFile {
        let locals = |locals: &Vec<LocalId>| locals.iter().map(|local| local.0).collect();
        FoldingFile {
            points: folding.points.iter().map(|point| point.0).collect(),
            forgotten: folding.forgotten.iter().map(|(location, names)| (location.0, locals(names))).collect(),
        }
    }

    fn decode(self) -> Folding {
        let locals = |locals: Vec<u32>| locals.into_iter().map(LocalId).collect();
        Folding {
            points: self.points.into_iter().map(LocationId).collect(),
            forgotten: self.forgotten.into_iter().map(|(at, names)| (LocationId(at), locals(names))).collect(),
        }
    }
}

/// The threads with these names.
pub(crate) fn symmetric(instance: &Instance, names: &[String]) -> Result<Vec<TemplateId>, FileError> {
    let template =
        |(at, name): (usize, &String)| template_named(instance, name).map_err(|e| e.at(at).within("symmetric"));
    names.iter().enumerate().map(template).collect()
}

pub(crate) fn shared_stores(instance: &Instance, rows: &[Vec<Value>]) -> Result<Vec<Store>, FileError> {
    let layout = shared_layout(instance);
    let store = |(index, row): (usize, &Vec<Value>)| {
        decode_row(instance, &layout, row).map_err(|e| e.at(index).within("shared"))
    };
    rows.iter().enumerate().map(store).collect()
}

/// Rows of numbers, all of the same width, in one flat array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
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
