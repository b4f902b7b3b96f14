//! Proof files: what `check --proof` writes and `audit` reads. They start with a header that says
//! what program and what kind of proof it is; the rest depends on the kind.

use crate::cartesian::{CartesianIn, ContainmentFile, LemmaFile, StepFile, UnionIn};
use crate::conformance::ConformanceIn;
use crate::coverability::{BoundedFile, CoreFile, CoverabilityIn};
use crate::file::{CopiesInFile, Header, check_any_copies, check_format, unreadable};
use crate::formulas::ThreadIn;
use crate::frontier::IterateIn;
use crate::hierarchy::OrderedLockFile;
use crate::modular::CaseIn;
use crate::protection::{CodeFile, FactFile, LockFile, ProtectionIn};
use crate::reachable::{FoldingFile, ReachableIn, Rows};
use crate::rows::{check_variables, entry, present, variable_names};
use crate::schedules::{NodeFile, ReasonFile};
use crate::{
    cartesian, conformance, coverability, formulas, frontier, hierarchy, modular, protection, reachable, schedules,
};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::sync::Arc;
use threadwise_evidence::{ConformanceProof, FileError, HierarchyProof, Proof};
use threadwise_ir::{Instance, Program};

const FORMAT: &str = "threadwise-proof";
/// The first one had no lemmas and did not say what has the states after steps. The second one had three kinds of proofs
/// by formulas.
const VERSION: u64 = 3;
const REACHABLE: &str = "reachable-set";
const MODULAR: &str = "modular";
const FRONTIER: &str = "frontier";
const CONFORMANCE: &str = "conformance";
const CARTESIAN: &str = "cartesian";
const FORMULAS: &str = "formulas";
const PROTECTION: &str = "protection";
const HIERARCHY: &str = "hierarchy";
const COVERABILITY: &str = "coverability";
const SCHEDULES: &str = "schedules";

/// Writes a proof. `defines` are the constants that were overridden, as with `-D`.
pub fn write_proof(
    out: impl Write,
    program: &Arc<Program>,
    proof: &Proof,
    defines: &BTreeMap<String, i64>,
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    writeln!(out, "{{")?;
    entry(&mut out, "format", FORMAT)?;
    entry(&mut out, "version", VERSION)?;
    entry(&mut out, "kind", kind_of(proof))?;
    entry(&mut out, "program", program.source.name())?;
    entry(&mut out, "defines", defines)?;
    if program.forbids_deadlocks() {
        entry(&mut out, "deadlock", true)?;
    }
    if let Some(asked) = program.telling.as_ref().map(|telling| &telling.asked).filter(|asked| !asked.is_empty()) {
        entry(&mut out, "properties", asked)?;
    }
    entry(&mut out, "any_copies", 0)?;
    write_body(&mut out, program, proof)?;
    writeln!(out, "\n}}")?;
    out.flush()
}

fn kind_of(proof: &Proof) -> &'static str {
    match proof {
        Proof::Reachable(_) => REACHABLE,
        Proof::Modular(_) => MODULAR,
        Proof::Frontier(_) => FRONTIER,
        Proof::Cartesian(_) => CARTESIAN,
        Proof::Conformance(_) => CONFORMANCE,
        Proof::Formulas(_) => FORMULAS,
        Proof::Protection(_) => PROTECTION,
        Proof::Hierarchy(_) => HIERARCHY,
        Proof::Coverability(_) => COVERABILITY,
        Proof::Schedules(_) => SCHEDULES,
    }
}

fn write_body<W: Write>(out: &mut W, program: &Arc<Program>, proof: &Proof) -> io::Result<()> {
    let instance = Instance::new(program.clone(), 0);
    entry(out, "variables", variable_names(&instance))?;
    match proof {
        Proof::Reachable(set) => reachable::write(out, &instance, set),
        Proof::Modular(proof) => modular::write(out, program, proof),
        Proof::Frontier(proof) => frontier::write(out, &instance, proof),
        Proof::Cartesian(proof) => cartesian::write(out, &instance, proof),
        Proof::Formulas(proof) => formulas::write(out, program, proof),
        Proof::Protection(proof) => protection::write(out, program, proof),
        Proof::Hierarchy(proof) => {
            hierarchy::write(out, program, proof)?;
            let Some(rest) = &proof.rest else { return Ok(()) };
            write!(out, ",\n\"rest\": {{")?;
            entry(out, "kind", kind_of(rest))?;
            write_body(out, &Arc::new(HierarchyProof::remainder(program)), rest)?;
            write!(out, "}}")
        }
        Proof::Coverability(proof) => coverability::write(out, program, proof),
        Proof::Schedules(proof) => schedules::write(out, proof),
        Proof::Conformance(proof) => {
            conformance::write(out, program, &proof.threads)?;
            let Ok(abstraction) = program.abstraction() else { return Ok(()) };
            write!(out, ",\n\"composition\": {{")?;
            entry(out, "kind", kind_of(&proof.composition))?;
            write_body(out, &abstraction.composition, &proof.composition)?;
            write!(out, "}}")
        }
    }
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
    deadlock: Option<bool>,
    properties: Option<Vec<String>>,
    any_copies: Option<u32>,
    symmetric: Option<Vec<String>>,
    folding: Option<FoldingFile>,
    variables: Option<Vec<String>>,
    shared: Option<Vec<Vec<Value>>>,
    locals: Option<BTreeMap<String, Vec<Value>>>,
    states: Option<Rows>,
    cases: Option<Vec<CaseIn>>,
    iterates: Option<Vec<IterateIn>>,
    sets: Option<Vec<Vec<u32>>>,
    unions: Option<Vec<UnionIn>>,
    initial: Option<Vec<(u32, ContainmentFile)>>,
    lemmas: Option<Vec<LemmaFile>>,
    steps: Option<Vec<StepFile>>,
    conformance: Option<Vec<ConformanceIn>>,
    composition: Option<Box<ProofIn>>,
    scope: Option<String>,
    threads: Option<BTreeMap<String, ThreadIn>>,
    outline: Option<bool>,
    locks: Option<Vec<LockFile>>,
    status: Option<String>,
    facts: Option<Vec<Vec<FactFile>>>,
    protection: Option<BTreeMap<String, Vec<CodeFile>>>,
    ordered: Option<Vec<String>>,
    forgotten: Option<Vec<(u32, u32)>>,
    order: Option<Vec<OrderedLockFile>>,
    rest: Option<Box<ProofIn>>,
    copies: Option<BTreeMap<String, u32>>,
    cores: Option<Vec<CoreFile>>,
    starts: Option<Vec<u32>>,
    nodes: Option<Vec<NodeFile>>,
    reasons: Option<Vec<ReasonFile>>,
    bounded: Option<Vec<BoundedFile>>,
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
    Cartesian,
    Conformance,
    Formulas,
    Protection,
    Hierarchy,
    Coverability,
    Schedules,
}

impl Kind {
    fn named(name: &str) -> Result<Kind, FileError> {
        match name {
            REACHABLE => Ok(Kind::Reachable),
            MODULAR => Ok(Kind::Modular),
            FRONTIER => Ok(Kind::Frontier),
            CARTESIAN => Ok(Kind::Cartesian),
            CONFORMANCE => Ok(Kind::Conformance),
            FORMULAS => Ok(Kind::Formulas),
            PROTECTION => Ok(Kind::Protection),
            HIERARCHY => Ok(Kind::Hierarchy),
            COVERABILITY => Ok(Kind::Coverability),
            SCHEDULES => Ok(Kind::Schedules),
            other => Err(FileError::new(format!("proofs of the kind `{other}` are not known")).within("kind")),
        }
    }
}

impl ProofFile {
    /// Reads a file as far as that goes without the program.
    pub fn read(input: impl Read) -> Result<ProofFile, FileError> {
        let mut body: ProofIn = serde_json::from_reader(BufReader::new(input)).map_err(unreadable)?;
        check_format(&present(body.format.take(), "format")?, present(body.version, "version")?, (FORMAT, VERSION))?;
        let kind = Kind::named(&present(body.kind.take(), "kind")?)?;
        let any_copies = present(body.any_copies, "any_copies")?;
        let header = Header {
            program: present(body.program.take(), "program")?,
            defines: present(body.defines.take(), "defines")?,
            deadlock: body.deadlock.unwrap_or(false),
            properties: body.properties.take().unwrap_or_default(),
            any_copies: CopiesInFile::Each(check_any_copies(any_copies).map_err(|e| e.within("any_copies"))?),
        };
        Ok(ProofFile { header, kind, body })
    }

    /// What the file says about its program.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The proof, fitted to the program. Whether it proves anything is for the checker to say.
    pub fn into_proof(self, program: &Arc<Program>) -> Result<Proof, FileError> {
        let instance = Instance::new(program.clone(), self.header.any_copies.of(program)?);
        self.body.fit(self.kind, program, &instance)
    }
}

impl ProofIn {
    fn fit(self, kind: Kind, program: &Arc<Program>, instance: &Instance) -> Result<Proof, FileError> {
        check_variables(instance, &present(self.variables, "variables")?)?;
        Ok(match kind {
            Kind::Reachable => {
                let set = ReachableIn {
                    states: present(self.states, "states")?,
                    symmetric: present(self.symmetric, "symmetric")?,
                    folding: self.folding.unwrap_or_default(),
                    shared: present(self.shared, "shared")?,
                    locals: present(self.locals, "locals")?,
                };
                Proof::Reachable(set.decode(instance)?)
            }
            Kind::Modular => Proof::Modular(modular::decode(program, &present(self.cases, "cases")?)?),
            Kind::Frontier => {
                let (locals, iterates) = (present(self.locals, "locals")?, present(self.iterates, "iterates")?);
                Proof::Frontier(frontier::decode(instance, &locals, &iterates)?)
            }
            Kind::Cartesian => {
                let proof = CartesianIn {
                    symmetric: present(self.symmetric, "symmetric")?,
                    locals: present(self.locals, "locals")?,
                    sets: present(self.sets, "sets")?,
                    unions: present(self.unions, "unions")?,
                    initial: present(self.initial, "initial")?,
                    lemmas: present(self.lemmas, "lemmas")?,
                    steps: present(self.steps, "steps")?,
                };
                Proof::Cartesian(proof.decode(instance)?)
            }
            Kind::Conformance => {
                let threads = conformance::decode(program, &present(self.conformance, "conformance")?)?;
                let composition = fit_composition(*present(self.composition, "composition")?, program);
                let composition = Box::new(composition.map_err(|e| e.within("composition"))?);
                Proof::Conformance(ConformanceProof { threads, composition })
            }
            Kind::Formulas => {
                let (scope, threads) = (present(self.scope, "scope")?, present(self.threads, "threads")?);
                Proof::Formulas(formulas::decode(program, &scope, &threads)?)
            }
            Kind::Protection => {
                let (locks, facts) = (present(self.locks, "locks")?, present(self.facts, "facts")?);
                let (protection, status) = (present(self.protection, "protection")?, self.status.as_deref());
                let is_of_outline = self.outline.unwrap_or(false);
                let file =
                    ProtectionIn { is_of_outline, locks: &locks, status, facts: &facts, protection: &protection };
                Proof::Protection(protection::decode(program, &file)?)
            }
            Kind::Hierarchy => {
                let ordered = present(self.ordered, "ordered")?;
                let (forgotten, order) = (present(self.forgotten, "forgotten")?, present(self.order, "order")?);
                let rest = self.rest.map(|rest| fit_rest(*rest, program).map_err(|e| e.within("rest"))).transpose()?;
                Proof::Hierarchy(hierarchy::decode(program, &ordered, &forgotten, &order, rest)?)
            }
            Kind::Coverability => {
                let file = CoverabilityIn {
                    copies: present(self.copies, "copies")?,
                    shared: present(self.shared, "shared")?,
                    locals: present(self.locals, "locals")?,
                    cores: present(self.cores, "cores")?,
                    bounded: present(self.bounded, "bounded")?,
                };
                Proof::Coverability(file.decode(program)?)
            }
            Kind::Schedules => {
                let (nodes, reasons) = (present(self.nodes, "nodes")?, present(self.reasons, "reasons")?);
                Proof::Schedules(schedules::decode(instance, present(self.starts, "starts")?, &nodes, &reasons)?)
            }
        })
    }
}

/// The proof of the program with the abstract threads in the places of their threads.
fn fit_composition(mut body: ProofIn, program: &Arc<Program>) -> Result<Proof, FileError> {
    let abstraction = program.abstraction().map_err(|e| FileError::new(e.why))?;
    let kind = Kind::named(&present(body.kind.take(), "kind")?)?;
    let instance = Instance::new(abstraction.composition.clone(), 0);
    body.fit(kind, &abstraction.composition, &instance)
}

/// The proof of the program that does not forbid deadlocks.
fn fit_rest(mut body: ProofIn, program: &Arc<Program>) -> Result<Proof, FileError> {
    let remainder = Arc::new(HierarchyProof::remainder(program));
    let kind = Kind::named(&present(body.kind.take(), "kind")?)?;
    let instance = Instance::new(remainder.clone(), 0);
    body.fit(kind, &remainder, &instance)
}
