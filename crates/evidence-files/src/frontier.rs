//! Proofs by a sequence of sets of thread states in files: a table of local states, and for each
//! member of the sequence each thread's states grouped by shared store.

use crate::rows::{Depth, StatesRow, Table, decode_tables, key, list, rows, write_tables};
use crate::value::tid_of_name;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Write};
use threadwise_evidence::{FileError, FrontierProof, StatesByStore, shared_layout};
use threadwise_ir::{Instance, Store};

/// Writes the fields of the proof, which must fit the instance.
pub(crate) fn write(out: &mut impl Write, instance: &Instance, proof: &FrontierProof) -> io::Result<()> {
    let layout = shared_layout(instance);
    let mut tables: Vec<Table<'_>> = instance.program.templates.iter().map(|_| Table::default()).collect();
    let mut iterates: Vec<Vec<Vec<StatesRow>>> = Vec::new();
    for iterate in &proof.iterates {
        let threads = iterate.iter().zip(&instance.threads).map(|(states, thread)| {
            let table = &mut tables[thread.template.index()];
            states.iter().map(|row| StatesRow::encode(instance, &layout, row, table)).collect()
        });
        iterates.push(threads.collect());
    }
    write!(out, "\"locals\": ")?;
    write_tables(out, instance, tables.iter().map(|table| table.locals.as_slice()))?;
    write!(out, ",\n\"iterates\": ")?;
    list(out, "[", "]", iterates.iter(), |out, threads| {
        list(out, "{", "}", threads.iter().enumerate(), |out, (thread, states)| {
            key(out, &instance.tid_name(thread as i64 + 1))?;
            rows(out, states.iter())
        })
    })
}

/// The states of each thread, by its name, as they stand in the file.
pub(crate) type IterateIn = BTreeMap<String, Vec<StatesRow>>;

/// The proof with these members, fitted to the instance.
pub(crate) fn decode(
    instance: &Instance,
    locals: &BTreeMap<String, Vec<Value>>,
    iterates: &[IterateIn],
) -> Result<FrontierProof, FileError> {
    let tables = decode_tables(instance, Depth::Whole, locals).map_err(|e| e.within("locals"))?;
    let iterate = |(at, iterate): (usize, &IterateIn)| {
        decode_iterate(instance, &tables, iterate).map_err(|e| e.at(at).within("iterates"))
    };
    let proof = FrontierProof { iterates: iterates.iter().enumerate().map(iterate).collect::<Result<_, _>>()? };
    proof.validate(instance)?;
    Ok(proof)
}

fn decode_iterate(
    instance: &Instance,
    tables: &[Vec<Store>],
    iterate: &IterateIn,
) -> Result<Vec<StatesByStore>, FileError> {
    if let Some(name) = iterate.keys().find(|name| tid_of_name(instance, name).is_none_or(|tid| tid == 0)) {
        return Err(FileError::new(format!("the program has no thread `{name}`")));
    }
    let states_of = |(index, thread): (usize, &threadwise_ir::Thread)| {
        let name = instance.tid_name(index as i64 + 1);
        let rows = iterate.get(&name).ok_or_else(|| FileError::new(format!("the thread `{name}` is missing")))?;
        StatesRow::decode_all(rows, instance, &tables[thread.template.index()]).map_err(|e| e.within(&name))
    };
    instance.threads.iter().enumerate().map(states_of).collect()
}
