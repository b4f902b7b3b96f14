//! Proofs by schedules in files: the nodes of their graph, and the reasons for who goes first. Threads, nodes, reasons, edges and
//! locations go by their numbers.

use crate::rows::{entry, rows};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use threadwise_evidence::{FileError, Precedence, ScheduleNode, ScheduleProof, ScheduledMove};
use threadwise_ir::{EdgeId, Instance, LocationId, Point, ThreadId};

/// A point: the calls under way, and the location.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PointFile(Vec<u32>, u32);

impl PointFile {
    fn of(point: &Point) -> PointFile {
        PointFile(point.calls.iter().map(|edge| edge.0).collect(), point.location.0)
    }

    fn decode(&self) -> Point {
        Point { calls: self.0.iter().map(|&edge| EdgeId(edge)).collect(), location: LocationId(self.1) }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NodeFile {
    points: Vec<PointFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    first: Vec<u32>,
    /// A thread, the edges of its step, and where it leads.
    moves: Vec<(u32, Vec<u32>, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ReasonFile {
    others: Vec<(u32, Vec<PointFile>)>,
    formula: String,
}

/// Writes the fields of the proof.
pub(crate) fn write(out: &mut impl Write, proof: &ScheduleProof) -> io::Result<()> {
    entry(out, "starts", &proof.starts)?;
    write!(out, "\"nodes\": ")?;
    rows(out, proof.nodes.iter().map(node_file))?;
    write!(out, ",\n\"reasons\": ")?;
    rows(out, proof.reasons.iter().map(reason_file))
}

fn node_file(node: &ScheduleNode) -> NodeFile {
    let step = |step: &ScheduledMove| (step.thread.0, step.path.iter().map(|edge| edge.0).collect(), step.to);
    NodeFile {
        points: node.points.iter().map(PointFile::of).collect(),
        formula: node.formula.clone(),
        first: node.first.iter().map(|thread| thread.0).collect(),
        moves: node.moves.iter().map(step).collect(),
        reason: node.reason,
    }
}

fn reason_file(reason: &Precedence) -> ReasonFile {
    let others = reason.others.iter().map(|(thread, points)| (thread.0, points.iter().map(PointFile::of).collect()));
    ReasonFile { others: others.collect(), formula: reason.formula.clone() }
}

/// The proof, fitted to the program.
pub(crate) fn decode(
    instance: &Instance,
    starts: Vec<u32>,
    nodes: &[NodeFile],
    reasons: &[ReasonFile],
) -> Result<ScheduleProof, FileError> {
    let (nodes, reasons) = (nodes.iter().map(NodeFile::decode), reasons.iter().map(ReasonFile::decode));
    let proof = ScheduleProof { starts, nodes: nodes.collect(), reasons: reasons.collect() };
    proof.validate(instance)?;
    Ok(proof)
}

impl NodeFile {
    fn decode(&self) -> ScheduleNode {
        let step = |(thread, path, to): &(u32, Vec<u32>, u32)| ScheduledMove {
            thread: ThreadId(*thread),
            path: path.iter().map(|&edge| EdgeId(edge)).collect(),
            to: *to,
        };
        ScheduleNode {
            points: self.points.iter().map(PointFile::decode).collect(),
            formula: self.formula.clone(),
            first: self.first.iter().map(|&thread| ThreadId(thread)).collect(),
            moves: self.moves.iter().map(step).collect(),
            reason: self.reason,
        }
    }
}

impl ReasonFile {
    fn decode(&self) -> Precedence {
        let others = |(thread, points): &(u32, Vec<PointFile>)| {
            (ThreadId(*thread), points.iter().map(PointFile::decode).collect())
        };
        Precedence { others: self.others.iter().map(others).collect(), formula: self.formula.clone() }
    }
}
