//! Proofs by assertions at points in files: for each thread its points, with a formula each.

use crate::rows::{key, list, rows};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use threadwise_evidence::{AssertionProof, FileError, PointFormula};
use threadwise_ir::{EdgeId, LocationId, Point, Program};

/// An assertion as it stands in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PointFile {
    calls: Vec<u32>,
    location: u32,
    formula: String,
}

impl PointFile {
    pub(crate) fn of(point: &PointFormula) -> PointFile {
        let calls = point.point.calls.iter().map(|edge| edge.0).collect();
        PointFile { calls, location: point.point.location.0, formula: point.formula.clone() }
    }

    pub(crate) fn decode(&self) -> PointFormula {
        let calls = self.calls.iter().map(|&edge| EdgeId(edge)).collect();
        PointFormula { point: Point { calls, location: LocationId(self.location) }, formula: self.formula.clone() }
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
