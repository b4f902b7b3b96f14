//! Proofs by assertions at points in files: for each thread its points, with a formula each.

use crate::file::FileError;
use crate::rows::{key, list, rows};
use crate::{AssertionProof, PointFormula};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use threadwise_ir::{EdgeId, LocationId, Op, Program, TemplateId};

/// An assertion as it stands in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PointFile {
    calls: Vec<u32>,
    location: u32,
    formula: String,
}

impl PointFile {
    pub(crate) fn of(point: &PointFormula) -> PointFile {
        let calls = point.calls.iter().map(|edge| edge.0).collect();
        PointFile { calls, location: point.at.0, formula: point.formula.clone() }
    }

    pub(crate) fn decode(&self) -> PointFormula {
        let calls = self.calls.iter().map(|&edge| EdgeId(edge)).collect();
        PointFormula { calls, at: LocationId(self.location), formula: self.formula.clone() }
    }
}

/// Writes the fields of the proof, which must fit the program.
pub(crate) fn write(out: &mut impl Write, program: &Arc<Program>, proof: &AssertionProof) -> io::Result<()> {
    write!(out, "\"assertions\": ")?;
    list(out, "{", "}", program.templates.iter().zip(&proof.threads), |out, (template, points)| {
        key(out, &template.name)?;
        rows(out, points.iter().map(PointFile::of))
    })
}

/// The proof with these assertions, fitted to the program.
pub(crate) fn decode(
    program: &Arc<Program>,
    assertions: &BTreeMap<String, Vec<PointFile>>,
) -> Result<AssertionProof, FileError> {
    let known = |name: &String| program.templates.iter().any(|template| *template.name == **name);
    if let Some(unknown) = assertions.keys().find(|name| !known(name)) {
        return Err(FileError::new(format!("the program has no thread `{unknown}`")).within("assertions"));
    }
    let threads = program.templates.iter().map(|template| {
        let points = assertions.get(&*template.name).into_iter().flatten();
        points.map(PointFile::decode).collect()
    });
    let proof = AssertionProof { threads: threads.collect() };
    proof.validate(program)?;
    Ok(proof)
}

impl AssertionProof {
    /// Whether the proof fits the program: every point is one of its thread. It says nothing about
    /// the formulas.
    pub fn validate(&self, program: &Program) -> Result<(), FileError> {
        let templates = program.templates.len();
        if self.threads.len() != templates {
            let message = format!("the program has {templates} threads, not {}", self.threads.len());
            return Err(FileError::new(message).within("assertions"));
        }
        for (index, points) in self.threads.iter().enumerate() {
            let template = TemplateId(index as u32);
            let name = &program.template(template).name;
            validate_points(program, template, points).map_err(|e| e.within(name).within("assertions"))?;
        }
        Ok(())
    }
}

/// Whether the points are points of the thread: each call is made in the routine that the one before
/// it calls, and the location is in the last one's.
pub(crate) fn validate_points(
    program: &Program,
    template: TemplateId,
    points: &[PointFormula],
) -> Result<(), FileError> {
    for (index, point) in points.iter().enumerate() {
        let mut routine = program.template(template).body;
        for edge in &point.calls {
            let edge = program.edges.get(edge.index()).filter(|edge| program.location(edge.from).routine == routine);
            match edge.map(|edge| &edge.op) {
                Some(Op::Call { routine: callee, .. }) => routine = *callee,
                _ => return Err(FileError::new("there is no such call").within("calls").at(index)),
            }
        }
        let location = program.locations.get(point.at.index());
        if location.is_none_or(|location| location.routine != routine) {
            return Err(FileError::new("there is no such location in the routine").within("location").at(index));
        }
    }
    Ok(())
}
