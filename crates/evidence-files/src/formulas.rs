//! Proofs by formulas at points in files: for each thread what holds at its points and what the others do, as SMT-LIB
//! formulas over the program's names.

use crate::rows::{key, list, rows};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use threadwise_evidence::{EnvironmentTransition, FileError, FormulaProof, PointFormula, Scope, ThreadFormulas};
use threadwise_ir::{EdgeId, Instance, LocationId, Point, Program, ThreadId};

/// What holds at a point, as it stands in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PointFile {
    calls: Vec<u32>,
    location: u32,
    formula: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    words: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    given: bool,
}

impl PointFile {
    pub(crate) fn of(point: &PointFormula) -> PointFile {
        PointFile {
            calls: point.point.calls.iter().map(|edge| edge.0).collect(),
            location: point.point.location.0,
            formula: point.formula.clone(),
            words: point.words.clone(),
            given: !point.inferred,
        }
    }

    pub(crate) fn decode(&self) -> PointFormula {
        let calls = self.calls.iter().map(|&edge| EdgeId(edge)).collect();
        let point = Point { calls, location: LocationId(self.location) };
        PointFormula { point, formula: self.formula.clone(), words: self.words.clone(), inferred: !self.given }
    }
}

/// What others do, as it stands in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct TransitionFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    formula: String,
}

/// A thread's part, as it stands in the file, but for how many steps of the environment cover any number.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ThreadIn {
    points: Vec<PointFile>,
    #[serde(default)]
    remarks: Vec<PointFile>,
    environment: Option<Vec<TransitionFile>>,
    guarantee: Option<String>,
    closure: u32,
}

const TEMPLATES: &str = "templates";
const THREADS: &str = "threads";
const THREADS_ALONE: &str = "threads-alone";

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Templates => TEMPLATES,
        Scope::Threads => THREADS,
        Scope::ThreadsAlone => THREADS_ALONE,
    }
}

/// What the parts of a proof are called.
fn part_names(program: &Arc<Program>, scope: Scope) -> Vec<String> {
    match scope {
        Scope::Templates => program.templates.iter().map(|template| template.name.to_string()).collect(),
        Scope::Threads | Scope::ThreadsAlone => {
            let instance = Instance::new(program.clone(), 0);
            (1..=instance.threads.len()).map(|tid| instance.tid_name(tid as i64)).collect()
        }
    }
}

/// Writes the fields of the proof, which must fit the program.
pub(crate) fn write(out: &mut impl Write, program: &Arc<Program>, proof: &FormulaProof) -> io::Result<()> {
    write!(out, "\"scope\": \"{}\",\n\"threads\": ", scope_name(proof.scope))?;
    let instance = Instance::new(program.clone(), 0);
    let names = part_names(program, proof.scope);
    list(out, "{", "}", names.iter().zip(&proof.parts), |out, (name, part)| {
        key(out, name)?;
        write!(out, "{{\"closure\": {}, \"points\": ", part.closure)?;
        rows(out, part.points.iter().map(PointFile::of))?;
        if !part.remarks.is_empty() {
            write!(out, ", \"remarks\": ")?;
            rows(out, part.remarks.iter().map(PointFile::of))?;
        }
        if let Some(guarantee) = &part.guarantee {
            write!(out, ", \"guarantee\": {}", serde_json::to_string(guarantee)?)?;
        }
        if let Some(environment) = &part.environment {
            write!(out, ", \"environment\": ")?;
            rows(
                out,
                environment.iter().map(|transition| TransitionFile {
                    by: transition.by.map(|by| instance.tid_name(i64::from(by.0) + 1)),
                    formula: transition.formula.clone(),
                }),
            )?;
        }
        write!(out, "}}")
    })
}

/// The proof, fitted to the program.
pub(crate) fn decode(
    program: &Arc<Program>,
    scope: &str,
    threads: &BTreeMap<String, ThreadIn>,
) -> Result<FormulaProof, FileError> {
    let scope = match scope {
        TEMPLATES => Scope::Templates,
        THREADS => Scope::Threads,
        THREADS_ALONE => Scope::ThreadsAlone,
        other => return Err(FileError::new(format!("proofs about `{other}` are not known")).within("scope")),
    };
    if scope != Scope::Templates && program.has_any_copies() {
        return Err(FileError::new("there may be any number of threads, and it is about single ones").within("scope"));
    }
    let names = part_names(program, scope);
    if let Some(unknown) = threads.keys().find(|name| !names.contains(name)) {
        return Err(FileError::new(format!("the program has no thread `{unknown}`")).within("threads"));
    }
    let part = |name: &String| {
        let thread = threads.get(name).ok_or_else(|| FileError::new(format!("the thread `{name}` is missing")))?;
        thread.decode(program).map_err(|e| e.within(name))
    };
    let parts = names.iter().map(part).collect::<Result<_, FileError>>().map_err(|e| e.within("threads"))?;
    let proof = FormulaProof { scope, parts };
    proof.validate(program)?;
    Ok(proof)
}

impl ThreadIn {
    fn decode(&self, program: &Arc<Program>) -> Result<ThreadFormulas, FileError> {
        let instance = Instance::new(program.clone(), 0);
        let who = |name: &String| {
            let tid = (1..=instance.threads.len() as u32).find(|&tid| instance.tid_name(i64::from(tid)) == *name);
            tid.map(|tid| ThreadId(tid - 1))
                .ok_or_else(|| FileError::new(format!("the program has no thread `{name}`")))
        };
        let transition = |(index, transition): (usize, &TransitionFile)| {
            let by = transition.by.as_ref().map(who).transpose();
            let by = by.map_err(|e| e.within("by").at(index).within("environment"))?;
            Ok(EnvironmentTransition { by, formula: transition.formula.clone() })
        };
        let environment = self.environment.as_ref().map(|all| all.iter().enumerate().map(transition).collect());
        Ok(ThreadFormulas {
            points: self.points.iter().map(PointFile::decode).collect(),
            remarks: self.remarks.iter().map(PointFile::decode).collect(),
            environment: environment.transpose()?,
            guarantee: self.guarantee.clone(),
            closure: self.closure,
        })
    }
}
