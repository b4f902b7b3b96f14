//! Proofs by contracts in files: for each thread, assertions at points of its code.

use crate::expr::{decode_expr, expr_json};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, Write};
use threadwise_evidence::{ContractsProof, FileError, PointAssertion, ThreadContract};
use threadwise_ir::{EdgeId, LocationId, Op, Point, Program, RoutineId, TemplateId};

/// A thread as it stands in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ContractFile {
    thread: String,
    closure: u32,
    loops: Vec<PointFile>,
    points: Vec<PointFile>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct PointFile {
    calls: Vec<u32>,
    location: u32,
    inferred: bool,
    holds: Vec<Value>,
}

/// Writes the fields of the proof.
pub(crate) fn write(out: &mut impl Write, program: &Program, proof: &ContractsProof) -> io::Result<()> {
    let point = |point: &PointAssertion| PointFile {
        calls: point.point.calls.iter().map(|edge| edge.0).collect(),
        location: point.point.location.0,
        inferred: point.inferred,
        holds: point.holds.iter().map(|e| expr_json(program, e)).collect(),
    };
    let threads = proof.threads.iter().zip(&program.templates).map(|(thread, template)| ContractFile {
        thread: template.name.to_string(),
        closure: thread.closure,
        loops: thread.loops.iter().map(point).collect(),
        points: thread.points.iter().map(point).collect(),
    });
    write!(out, "\"contracts\": ")?;
    crate::rows::rows(out, threads.collect::<Vec<ContractFile>>().iter())
}

/// Reads the proof, with its threads in the program's order.
pub(crate) fn decode(program: &Program, threads: &[ContractFile]) -> Result<ContractsProof, FileError> {
    if threads.len() != program.templates.len() {
        return Err(FileError::new("it has not one contract for each thread").within("contracts"));
    }
    let mut proof = ContractsProof::default();
    for (index, (file, template)) in threads.iter().zip(&program.templates).enumerate() {
        if file.thread != *template.name {
            let message = format!("`{}` stands where `{}` is declared", file.thread, template.name);
            return Err(FileError::new(message).within("contracts"));
        }
        let body = program.template(TemplateId(index as u32)).body;
        let points = |points: &[PointFile]| -> Result<Vec<PointAssertion>, FileError> {
            points.iter().map(|point| decode_point(program, body, point)).collect()
        };
        proof.threads.push(ThreadContract {
            closure: file.closure,
            loops: points(&file.loops)?,
            points: points(&file.points)?,
        });
    }
    Ok(proof)
}

/// Each call must be made where the one before leads, and the location be in the last one's code.
fn decode_point(program: &Program, body: RoutineId, file: &PointFile) -> Result<PointAssertion, FileError> {
    let wrong = |what: &str| FileError::new(what).within("contracts");
    let mut routine = body;
    for &call in &file.calls {
        let edge = program.edges.get(call as usize).ok_or_else(|| wrong("there is no such call"))?;
        match &edge.op {
            Op::Call { routine: callee, .. } if program.location(edge.from).routine == routine => routine = *callee,
            _ => return Err(wrong("a call does not follow from the one before")),
        }
    }
    let location = program.locations.get(file.location as usize);
    if location.is_none_or(|location| location.routine != routine) {
        return Err(wrong("a location is not in the code that is said to run"));
    }
    let holds = file.holds.iter().map(|e| {
        let e = decode_expr(program, Some(routine), e)?;
        if e.sort == threadwise_ir::Sort::Bool { Ok(e) } else { Err(wrong("an assertion is not boolean")) }
    });
    Ok(PointAssertion {
        point: Point {
            calls: file.calls.iter().map(|&call| EdgeId(call)).collect(),
            location: LocationId(file.location),
        },
        holds: holds.collect::<Result<_, FileError>>()?,
        inferred: file.inferred,
    })
}
