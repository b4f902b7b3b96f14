//! Proofs by thread reachability and environment transitions in files: for each thread what holds at
//! its control points and what the others do, as SMT-LIB formulas.

use crate::rows::{key, list};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use threadwise_evidence::{EnvironmentProof, EnvironmentTransition, FileError, ReachAssertion, ThreadEnvironment};
use threadwise_ir::{Instance, ThreadId};

/// Writes the fields of the proof, which must fit the instance.
pub(crate) fn write(out: &mut impl Write, instance: &Instance, proof: &EnvironmentProof) -> io::Result<()> {
    write!(out, "\"modular\": {},\n\"threads\": ", proof.modular)?;
    list(out, "{", "}", proof.threads.iter().enumerate(), |out, (index, thread)| {
        key(out, &instance.tid_name(index as i64 + 1))?;
        write!(out, "{{\"reach\": ")?;
        list(out, "[", "]", thread.reach.iter(), |out, at| {
            write!(out, "{}", serde_json::json!({ "point": at.point, "at": at.name, "formula": at.formula }))
        })?;
        write!(out, ", \"environment\": ")?;
        list(out, "[", "]", thread.environment.iter(), |out, transition| {
            let by = instance.tid_name(i64::from(transition.by.0) + 1);
            write!(out, "{}", serde_json::json!({ "by": by, "formula": transition.formula }))
        })?;
        write!(out, "}}")
    })
}

/// What holds at a control point, as it stands in the file.
#[derive(Clone, Debug, Deserialize)]
struct ReachIn {
    point: u32,
    at: String,
    formula: String,
}

/// What others do, as it stands in the file.
#[derive(Clone, Debug, Deserialize)]
struct TransitionIn {
    by: String,
    formula: String,
}

/// A thread's part, as it stands in the file.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ThreadIn {
    reach: Vec<ReachIn>,
    environment: Vec<TransitionIn>,
}

/// The proof, fitted to the instance as far as its threads go.
pub(crate) fn decode(
    instance: &Instance,
    modular: bool,
    threads: &BTreeMap<String, ThreadIn>,
) -> Result<EnvironmentProof, FileError> {
    let names: Vec<String> = (1..=instance.threads.len()).map(|tid| instance.tid_name(tid as i64)).collect();
    let thread_of = |name: &str| {
        let index = names.iter().position(|known| known == name);
        let missing = || FileError::new(format!("the program has no thread `{name}`"));
        index.map(|index| ThreadId(index as u32)).ok_or_else(missing)
    };
    for name in threads.keys() {
        thread_of(name).map_err(|e| e.within("threads"))?;
    }
    let part = |name: &String| {
        let thread = threads.get(name).ok_or_else(|| FileError::new(format!("the thread `{name}` is missing")))?;
        let reach = thread.reach.iter().map(|at| ReachAssertion {
            point: at.point,
            name: at.at.clone(),
            formula: at.formula.clone(),
        });
        let transition = |(index, transition): (usize, &TransitionIn)| {
            let by = thread_of(&transition.by).map_err(|e| e.within("by").at(index).within("environment"))?;
            Ok(EnvironmentTransition { by, formula: transition.formula.clone() })
        };
        let environment = thread.environment.iter().enumerate().map(transition).collect::<Result<_, FileError>>()?;
        Ok(ThreadEnvironment { reach: reach.collect(), environment })
    };
    let threads = names.iter().map(part).collect::<Result<_, FileError>>().map_err(|e| e.within("threads"))?;
    Ok(EnvironmentProof { modular, threads })
}
