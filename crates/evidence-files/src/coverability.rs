//! Proofs by cores and crowds in files: tables of shared stores and of local states, and the cores, whose threads and crowds
//! are indices of these.

use crate::modular::decode_copies;
use crate::reachable::shared_stores;
use crate::rows::{Depth, decode_tables, entry, rows, shared_row, write_tables};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use threadwise_evidence::{Bounded, Core, CoverabilityProof, FileError, instance_of_case, shared_layout};
use threadwise_ir::{Instance, Program, TemplateId};

/// Writes the fields of the proof, which must fit the program.
pub(crate) fn write(out: &mut impl Write, program: &Arc<Program>, proof: &CoverabilityProof) -> io::Result<()> {
    let instance = Instance::with_copies(program.clone(), &proof.copies);
    let layout = shared_layout(&instance);
    let names = program.templates.iter().map(|template| &*template.name);
    let copies: BTreeMap<&str, u32> = names.zip(proof.copies.iter().copied()).collect();
    entry(out, "copies", copies)?;
    write!(out, "\"shared\": ")?;
    rows(out, proof.shared.iter().map(|shared| shared_row(&instance, &layout, shared)))?;
    write!(out, ",\n\"locals\": ")?;
    write_tables(out, &instance, proof.locals.iter().map(Vec::as_slice))?;
    write!(out, ",\n\"cores\": ")?;
    rows(out, proof.cores.iter().map(CoreFile::of))?;
    write!(out, ",\n\"bounded\": ")?;
    rows(out, proof.bounded.iter().map(BoundedFile::of))
}

/// A core as it stands in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CoreFile {
    shared: u32,
    threads: Vec<u32>,
    crowd: Vec<(u32, u32)>,
    excluded: Vec<Vec<u32>>,
}

impl CoreFile {
    fn of(core: &Core) -> CoreFile {
        CoreFile {
            shared: core.shared,
            threads: core.threads.clone(),
            crowd: core.crowd.iter().map(|&(template, local)| (template.0, local)).collect(),
            excluded: core.excluded.clone(),
        }
    }

    fn decode(self) -> Core {
        Core {
            shared: self.shared,
            threads: self.threads,
            crowd: self.crowd.into_iter().map(|(template, local)| (TemplateId(template), local)).collect(),
            excluded: self.excluded,
        }
    }
}

/// A bound as it stands in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BoundedFile {
    members: Vec<(u32, u32)>,
    most: Vec<Option<u32>>,
}

impl BoundedFile {
    fn of(bounded: &Bounded) -> BoundedFile {
        let members = bounded.members.iter().map(|&(template, local)| (template.0, local)).collect();
        BoundedFile { members, most: bounded.most.clone() }
    }

    fn decode(self) -> Bounded {
        let members = self.members.into_iter().map(|(template, local)| (TemplateId(template), local)).collect();
        Bounded { members, most: self.most }
    }
}

/// The fields of the proof as they stand in the file.
pub(crate) struct CoverabilityIn {
    pub(crate) copies: BTreeMap<String, u32>,
    pub(crate) shared: Vec<Vec<Value>>,
    pub(crate) locals: BTreeMap<String, Vec<Value>>,
    pub(crate) cores: Vec<CoreFile>,
    pub(crate) bounded: Vec<BoundedFile>,
}

impl CoverabilityIn {
    pub(crate) fn decode(self, program: &Arc<Program>) -> Result<CoverabilityProof, FileError> {
        let copies = decode_copies(program, &self.copies).map_err(|e| e.within("copies"))?;
        let instance = instance_of_case(program, &copies)?;
        let proof = CoverabilityProof {
            shared: shared_stores(&instance, &self.shared)?,
            locals: decode_tables(&instance, Depth::Whole, &self.locals).map_err(|e| e.within("locals"))?,
            cores: self.cores.into_iter().map(CoreFile::decode).collect(),
            bounded: self.bounded.into_iter().map(BoundedFile::decode).collect(),
            copies,
        };
        proof.validate(program)?;
        Ok(proof)
    }
}
