//! The control-flow graph of one routine while it is built.
//!
//! Statements that are no steps, such as `goto` and `break`, make one point an alias of another; at
//! the end each point stands for the one at the end of its chain of aliases (see `finish`).

use std::sync::Arc;
use threadwise_ir::{Expr, LocalId, Op, Wait};
use threadwise_source::Span;

/// A point of the graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct PointId(pub(super) u32);

impl PointId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A block of the text; the first one is the routine's outermost block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BlockId(pub(super) u32);

impl BlockId {
    pub(super) const OUTERMOST: BlockId = BlockId(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An atomic block that is not inside another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct AtomicId(pub(super) u32);

/// A block and its own locals.
#[derive(Debug)]
pub(super) struct BlockLocals {
    pub(super) parent: BlockId,
    pub(super) locals: Vec<LocalId>,
}

/// A point between statements.
#[derive(Debug)]
pub(super) struct Point {
    /// The point that this one is identified with.
    pub(super) alias: Option<PointId>,
    /// The innermost block around it.
    pub(super) block: BlockId,
    /// The first statement from here.
    pub(super) span: Option<Span>,
    /// The atomic block around it.
    pub(super) atomic: Option<AtomicId>,
    /// Before a declaration that no other thread can observe.
    pub(super) quiet: bool,
    /// What it means to wait here, beside what labels say.
    pub(super) wait: Wait,
    pub(super) labels: Vec<Arc<str>>,
    /// The invariants of the loop that starts here.
    pub(super) invariants: Vec<Expr>,
    /// Arrays that are declared here and have their default from here on. They have no literal to
    /// assign, so they are out of scope at the point before.
    pub(super) undeclared: Vec<LocalId>,
}

/// An edge between points.
#[derive(Debug)]
pub(super) struct DraftEdge {
    pub(super) from: PointId,
    pub(super) to: PointId,
    pub(super) op: Op,
    pub(super) span: Span,
    pub(super) branch: Option<bool>,
}

/// A loop that was unrolled.
#[derive(Debug)]
pub(super) struct DraftUnrolled {
    pub(super) name: Arc<str>,
    pub(super) first: i64,
    pub(super) is_thread: bool,
    /// How many edges there were before each copy, and behind the last one.
    pub(super) starts: Vec<usize>,
}

/// Points and edges.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) points: Vec<Point>,
    pub(super) edges: Vec<DraftEdge>,
}

impl Graph {
    pub(super) fn add_point(&mut self, block: BlockId, atomic: Option<AtomicId>) -> PointId {
        let id = PointId(self.points.len() as u32);
        self.points.push(Point {
            alias: None,
            block,
            span: None,
            atomic,
            quiet: false,
            wait: Wait::Counts,
            labels: Vec::new(),
            invariants: Vec::new(),
            undeclared: Vec::new(),
        });
        id
    }

    pub(super) fn point(&mut self, id: PointId) -> &mut Point {
        &mut self.points[id.index()]
    }

    /// For each point the one it stands for: the end of its chain of aliases. A chain that never
    /// ends, as from `L: goto L;`, stands for its first point.
    pub(super) fn representatives(&self) -> Vec<PointId> {
        const UNKNOWN: u32 = u32::MAX;
        let mut found = vec![PointId(UNKNOWN); self.points.len()];
        let mut on_chain = vec![false; self.points.len()];
        for start in 0..self.points.len() {
            let mut chain = Vec::new();
            let mut point = PointId(start as u32);
            let end = loop {
                if found[point.index()].0 != UNKNOWN {
                    break found[point.index()];
                }
                if on_chain[point.index()] {
                    break point;
                }
                on_chain[point.index()] = true;
                chain.push(point);
                match self.points[point.index()].alias {
                    Some(next) => point = next,
                    None => break point,
                }
            };
            chain.iter().for_each(|point| found[point.index()] = end);
        }
        found
    }
}
