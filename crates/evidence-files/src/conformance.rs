//! Proofs by conformance in files: for each thread its local states with sets of nodes, then the
//! proof for the composition, which is a proof of another kind.

use crate::formulas::PointFile;
use crate::rows::{entry, list};
use crate::stores::{decode_local, local_json};
use crate::value::tid_of_name;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, Write};
use std::sync::Arc;
use threadwise_evidence::{Conformance, FileError, Simulation, conformance_instance, specification};
use threadwise_ir::{AbstractThread, Instance, Program, ThreadId};

/// Writes why the threads conform, which must fit the program.
pub(crate) fn write(out: &mut impl Write, program: &Arc<Program>, threads: &[Conformance]) -> io::Result<()> {
    let instance = conformance_instance(program);
    write!(out, "\"conformance\": ")?;
    list(out, "[", "]", threads.iter(), |out, conformance| {
        write!(out, "{{")?;
        entry(out, "thread", instance.tid_name(i64::from(conformance.thread.0) + 1))?;
        let Some(thread) = specification(&instance, conformance.thread) else { return write!(out, "}}") };
        let states = match &conformance.simulation {
            Simulation::Candidates(states) => states,
            Simulation::Assertions(points) => {
                write!(out, "\"assertions\": ")?;
                crate::rows::rows(out, points.iter().map(PointFile::of))?;
                return write!(out, "}}");
            }
        };
        write!(out, "\"candidates\": ")?;
        let row = |(local, sets): &(threadwise_ir::Store, Vec<u64>)| CandidatesFile {
            local: local_json(&instance, local),
            nodes: sets.iter().map(|&set| names(thread, set)).collect(),
        };
        crate::rows::rows(out, states.iter().map(row))?;
        write!(out, "}}")
    })
}

fn names(thread: &AbstractThread, set: u64) -> Vec<String> {
    let nodes = thread.nodes.iter().enumerate().filter(|(node, _)| set >> node & 1 == 1);
    nodes.map(|(_, node)| node.name.to_string()).collect()
}

/// A thread as it stands in the file.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ConformanceIn {
    thread: String,
    candidates: Option<Vec<CandidatesFile>>,
    assertions: Option<Vec<PointFile>>,
}

/// A local state and sets of nodes.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct CandidatesFile {
    local: Value,
    nodes: Vec<Vec<String>>,
}

/// Why the threads conform, fitted to the program.
pub(crate) fn decode(program: &Arc<Program>, threads: &[ConformanceIn]) -> Result<Vec<Conformance>, FileError> {
    let instance = conformance_instance(program);
    let decode =
        |(at, thread): (usize, &ConformanceIn)| thread.decode(&instance).map_err(|e| e.at(at).within("conformance"));
    threads.iter().enumerate().map(decode).collect()
}

impl ConformanceIn {
    fn decode(&self, instance: &Instance) -> Result<Conformance, FileError> {
        let unknown = || FileError::new(format!("the program has no specified thread `{}`", self.thread));
        let tid = tid_of_name(instance, &self.thread).filter(|&tid| tid > 0).ok_or_else(unknown)?;
        let thread = ThreadId(tid as u32 - 1);
        let specification = specification(instance, thread).ok_or_else(unknown)?;
        if let Some(points) = &self.assertions {
            let points = points.iter().map(PointFile::decode).collect();
            let conformance = Conformance { thread, simulation: Simulation::Assertions(points) };
            conformance.validate(instance)?;
            return Ok(conformance);
        }
        let candidates = crate::rows::present(self.candidates.as_ref(), "candidates")?;
        let state = |(at, row): (usize, &CandidatesFile)| {
            let local = decode_local(instance, specification.template, &row.local);
            let local = local.map_err(|e| e.within("local").at(at).within("candidates"))?;
            let sets = row.nodes.iter().map(|names| set_of(specification, names));
            let sets = sets.collect::<Result<_, _>>().map_err(|e| e.within("nodes").at(at).within("candidates"))?;
            Ok((local, sets))
        };
        let states = candidates.iter().enumerate().map(state).collect::<Result<_, FileError>>()?;
        let conformance = Conformance { thread, simulation: Simulation::Candidates(states) };
        conformance.validate(instance)?;
        Ok(conformance)
    }
}

fn set_of(thread: &AbstractThread, names: &[String]) -> Result<u64, FileError> {
    names.iter().try_fold(0, |set, name| {
        let node = thread.nodes.iter().position(|node| *node.name == **name).filter(|&node| node < 64);
        node.map(|node| set | 1 << node).ok_or_else(|| FileError::new(format!("there is no node `{name}`")))
    })
}
