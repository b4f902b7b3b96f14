//! Proof files: what `check --proof` writes and `audit` reads. They start with a header that says
//! what program and what kind of proof it is; the rest depends on the kind.

use crate::environment_file::ThreadIn;
use crate::file::{FileError, Header, check_any_copies, check_format};
use crate::frontier_file::IterateIn;
use crate::modular_file::CaseIn;
use crate::reachable_file::{ReachableIn, Rows};
use crate::rows::{check_variables, entry, present, variable_names};
use crate::{Proof, environment_file, frontier_file, modular_file, reachable_file};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::sync::Arc;
use threadwise_ir::{Instance, Program};

const FORMAT: &str = "threadwise-proof";
const REACHABLE: &str = "reachable-set";
const MODULAR: &str = "modular";
const FRONTIER: &str = "frontier";
const ENVIRONMENT: &str = "environment";

/// Writes a proof. `defines` are the constants that were overridden, as with `-D`.
pub fn write_proof(
    out: impl Write,
    program: &Arc<Program>,
    proof: &Proof,
    defines: &BTreeMap<String, i64>,
) -> io::Result<()> {
    let instance = Instance::new(program.clone(), 0);
    let kind = match proof {
        Proof::Reachable(_) => REACHABLE,
        Proof::Modular(_) => MODULAR,
        Proof::Frontier(_) => FRONTIER,
        Proof::Environment(_) => ENVIRONMENT,
    };
    let mut out = BufWriter::new(out);
    writeln!(out, "{{")?;
    entry(&mut out, "format", FORMAT)?;
    entry(&mut out, "version", 1)?;
    entry(&mut out, "kind", kind)?;
    entry(&mut out, "program", program.source.name())?;
    entry(&mut out, "defines", defines)?;
    entry(&mut out, "any_copies", 0)?;
    entry(&mut out, "variables", variable_names(&instance))?;
    match proof {
        Proof::Reachable(set) => reachable_file::write(&mut out, &instance, set)?,
        Proof::Modular(proof) => modular_file::write(&mut out, program, proof)?,
        Proof::Frontier(proof) => frontier_file::write(&mut out, &instance, proof)?,
        Proof::Environment(proof) => environment_file::write(&mut out, &instance, proof)?,
    }
    writeln!(out, "\n}}")?;
    out.flush()
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
    cases: Option<Vec<CaseIn>>,
    iterates: Option<Vec<IterateIn>>,
    modular: Option<bool>,
    threads: Option<BTreeMap<String, ThreadIn>>,
}

/// A proof file that has been read but not yet been fitted to a program: the program cannot be
/// loaded before the header is known, since it says which constants were overridden.
#[derive(Clone, Debug)]
pub struct ProofFile {
    header: Header,
    kind: Kind,
    body: ProofIn,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Reachable,
    Modular,
    Frontier,
    Environment,
}

impl ProofFile {
    /// Reads a file as far as that goes without the program.
    pub fn read(input: impl Read) -> Result<ProofFile, FileError> {
        let mut body: ProofIn = serde_json::from_reader(BufReader::new(input))?;
        check_format(&present(body.format.take(), "format")?, present(body.version, "version")?, FORMAT)?;
        let kind = match present(body.kind.take(), "kind")?.as_str() {
            REACHABLE => Kind::Reachable,
            MODULAR => Kind::Modular,
            FRONTIER => Kind::Frontier,
            ENVIRONMENT => Kind::Environment,
            other => {
                return Err(FileError::new(format!("proofs of the kind `{other}` are not known")).within("kind"));
            }
        };
        let any_copies = present(body.any_copies, "any_copies")?;
        let header = Header {
            program: present(body.program.take(), "program")?,
            defines: present(body.defines.take(), "defines")?,
            any_copies: check_any_copies(any_copies).map_err(|e| e.within("any_copies"))?,
        };
        Ok(ProofFile { header, kind, body })
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
        Ok(match self.kind {
            Kind::Reachable => {
                let set = ReachableIn {
                    states: present(body.states, "states")?,
                    symmetric: present(body.symmetric, "symmetric")?,
                    shared: present(body.shared, "shared")?,
                    locals: present(body.locals, "locals")?,
                };
                Proof::Reachable(set.decode(&instance)?)
            }
            Kind::Modular => Proof::Modular(modular_file::decode(program, &present(body.cases, "cases")?)?),
            Kind::Frontier => {
                let (locals, iterates) = (present(body.locals, "locals")?, present(body.iterates, "iterates")?);
                Proof::Frontier(frontier_file::decode(&instance, &locals, &iterates)?)
            }
            Kind::Environment => {
                let (modular, threads) = (present(body.modular, "modular")?, present(body.threads, "threads")?);
                Proof::Environment(environment_file::decode(&instance, modular, &threads)?)
            }
        })
    }
}
