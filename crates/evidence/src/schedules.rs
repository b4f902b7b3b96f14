//! Proofs by schedules that stand for all executions: a graph of combinations of points, what holds at some of them, and why
//! it is enough to let certain threads go first. What is here is data, and whether it fits a program at all.

use crate::FileError;
use crate::points::validate_point;
use threadwise_ir::{EdgeId, Instance, Point, ThreadId};

/// Along the graph runs an execution for every execution that goes wrong, and none of those along it does.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScheduleProof {
    /// Where executions start, by number.
    pub starts: Vec<u32>,
    pub nodes: Vec<ScheduleNode>,
    pub reasons: Vec<Precedence>,
}

/// Where all threads are, and who goes on from there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleNode {
    /// One for each thread.
    pub points: Vec<Point>,
    /// What holds here, over the shared variables and all threads' locals. Without it, it is what comes from the nodes before.
    pub formula: Option<String>,
    /// The threads that go first.
    pub first: Vec<ThreadId>,
    /// Where their steps lead. Steps that are not listed are impossible.
    pub moves: Vec<ScheduledMove>,
    /// Why nobody else has to go first, by number; nothing if all threads are among the first.
    pub reason: Option<u32>,
}

/// A step of a thread, by the edges that it takes, and the node that it leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduledMove {
    pub thread: ThreadId,
    pub path: Vec<EdgeId>,
    pub to: u32,
}

/// Why some threads may go first: as long as they do not move, the others stay at certain points, keep a formula over the
/// shared variables true, and do not go wrong; and whatever they do could as well come after the next step of those.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Precedence {
    /// The other threads, and where each stays.
    pub others: Vec<(ThreadId, Vec<Point>)>,
    pub formula: String,
}

impl ScheduleProof {
    /// Whether all numbers are of something that is there, and all points are of their threads.
    pub fn validate(&self, instance: &Instance) -> Result<(), FileError> {
        if instance.program.has_any_copies() {
            return Err(FileError::new("it is about single threads, and there may be any number of them"));
        }
        let is_node = |node: &u32| (*node as usize) < self.nodes.len();
        if !self.starts.iter().all(is_node) {
            return Err(FileError::new("there is no such node").within("starts"));
        }
        for (index, node) in self.nodes.iter().enumerate() {
            let within = |e: FileError| e.at(index).within("nodes");
            self.validate_node(instance, node).map_err(within)?;
            if !node.moves.iter().all(|step| is_node(&step.to)) {
                return Err(within(FileError::new("it leads to a node that is not there")));
            }
        }
        for (index, reason) in self.reasons.iter().enumerate() {
            for (thread, points) in &reason.others {
                validate_thread(instance, *thread, points).map_err(|e| e.at(index).within("reasons"))?;
            }
        }
        Ok(())
    }

    fn validate_node(&self, instance: &Instance, node: &ScheduleNode) -> Result<(), FileError> {
        if node.points.len() != instance.threads.len() {
            let (is, should) = (node.points.len(), instance.threads.len());
            return Err(FileError::new(format!("the program has {should} threads, not {is}")).within("points"));
        }
        for (thread, point) in node.points.iter().enumerate() {
            validate_thread(instance, ThreadId(thread as u32), std::slice::from_ref(point))?;
        }
        let is_thread = |thread: ThreadId| thread.index() < instance.threads.len();
        if !node.first.iter().copied().chain(node.moves.iter().map(|step| step.thread)).all(is_thread) {
            return Err(FileError::new("there is no such thread"));
        }
        match node.reason {
            Some(reason) if reason as usize >= self.reasons.len() => Err(FileError::new("there is no such reason")),
            _ => Ok(()),
        }
    }
}

fn validate_thread(instance: &Instance, thread: ThreadId, points: &[Point]) -> Result<(), FileError> {
    let found = instance.threads.get(thread.index());
    let template = found.ok_or_else(|| FileError::new("there is no such thread"))?.template;
    points.iter().try_for_each(|point| validate_point(&instance.program, template, point))
}
