//! Proofs by an order of locks in files: which variables are locks, and the locks in their order. Variables go by their
//! names, locals by the numbers of their routine and of themselves, keys by their words.

use crate::rows::{entry, rows};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use threadwise_evidence::{FileError, HierarchyProof, OrderedLock, Proof};
use threadwise_ir::{LocalId, Program, RoutineId, SharedId};

/// A lock as it stands in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OrderedLockFile {
    lock: String,
    keys: Vec<i64>,
}

/// Writes the fields of the proof, which must fit the program, without the proof of the rest.
pub(crate) fn write(out: &mut impl Write, program: &Program, proof: &HierarchyProof) -> io::Result<()> {
    let name = |id: SharedId| program.shared[id.index()].name.to_string();
    entry(out, "ordered", proof.locks.iter().map(|&id| name(id)).collect::<Vec<String>>())?;
    entry(out, "forgotten", proof.forgotten.iter().map(|(r, l)| (r.0, l.0)).collect::<Vec<(u32, u32)>>())?;
    write!(out, "\"order\": ")?;
    let row = |lock: &OrderedLock| OrderedLockFile { lock: name(lock.var), keys: lock.keys.clone() };
    rows(out, proof.order.iter().map(row))
}

/// The proof, fitted to the program.
pub(crate) fn decode(
    program: &Program,
    ordered: &[String],
    forgotten: &[(u32, u32)],
    order: &[OrderedLockFile],
    rest: Option<Proof>,
) -> Result<HierarchyProof, FileError> {
    let shared = |name: &str| {
        let found = program.shared.iter().position(|var| *var.name == *name);
        found.map(|at| SharedId(at as u32)).ok_or_else(|| FileError::new(format!("there is no variable `{name}`")))
    };
    let locks = ordered.iter().map(|name| shared(name)).collect::<Result<_, _>>().map_err(|e| e.within("ordered"))?;
    let lock = |file: &OrderedLockFile| Ok(OrderedLock { var: shared(&file.lock)?, keys: file.keys.clone() });
    let order = order.iter().map(lock).collect::<Result<_, FileError>>().map_err(|e| e.within("order"))?;
    let forgotten = forgotten.iter().map(|&(routine, local)| (RoutineId(routine), LocalId(local))).collect();
    let proof = HierarchyProof { locks, forgotten, order, rest: rest.map(Box::new) };
    proof.validate(program)?;
    Ok(proof)
}
