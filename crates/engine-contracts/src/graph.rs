//! A thread's code with its calls inlined, as a graph without cycles: arcs that close a loop lead
//! nowhere, and the loop's head stands for all iterations; or loops are unrolled.

use std::collections::{BTreeMap, BTreeSet};
use threadwise_ir::{EdgeId, LocalId, Op, Point, Program, RoutineId, TemplateId, Update, VarRef};

pub(crate) struct Node {
    pub(crate) point: Point,
    /// Control runs on from here within the same step.
    pub(crate) inside_step: bool,
    /// The routine of each frame, the thread's own first.
    pub(crate) routines: Vec<RoutineId>,
    /// The arcs that leave it.
    pub(crate) arcs: Vec<usize>,
    /// A loop starts here, which changes these locals.
    pub(crate) head: Option<Changes>,
}

pub(crate) struct Arc {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) edge: EdgeId,
    /// It closes a loop whose head is `to`.
    pub(crate) closes_loop: bool,
}

/// The locals of the innermost frame that a loop can change.
pub(crate) type Changes = BTreeSet<LocalId>;

/// Nodes come after those that lead to them, but for arcs that close loops. The first is the entry.
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) arcs: Vec<Arc>,
}

/// Why there is no graph.
#[derive(Debug)]
pub(crate) enum NoGraph {
    /// A procedure calls itself.
    Recursive(EdgeId),
    /// There are too many points.
    TooLarge,
}

/// More points than this are not looked at.
const MAX_POINTS: usize = 20_000;

impl Graph {
    /// The code of a thread, with its loops.
    pub(crate) fn new(program: &Program, template: TemplateId) -> Result<Graph, NoGraph> {
        let mut builder = Builder { program, numbers: BTreeMap::new(), found: Vec::new(), arcs: Vec::new() };
        let entry = program.routine(program.template(template).body).entry;
        builder.explore(Point::at(entry))?;
        let mut graph = builder.in_order();
        graph.find_loops(program);
        Ok(graph)
    }

    /// The code with every loop gone round at most so many times in all.
    pub(crate) fn unrolled(program: &Program, template: TemplateId, rounds: usize) -> Result<Graph, NoGraph> {
        let base = Graph::new(program, template)?;
        let size = base.nodes.len();
        if size.saturating_mul(rounds + 1) > MAX_POINTS {
            return Err(NoGraph::TooLarge);
        }
        let mut graph = Graph { nodes: Vec::new(), arcs: Vec::new() };
        for round in 0..=rounds {
            graph.nodes.extend(base.nodes.iter().map(|node| Node {
                point: node.point.clone(),
                inside_step: node.inside_step,
                routines: node.routines.clone(),
                arcs: Vec::new(),
                head: None,
            }));
            for arc in base.arcs.iter().filter(|arc| !arc.closes_loop || round < rounds) {
                let to = arc.to + (round + usize::from(arc.closes_loop)) * size;
                graph.arcs.push(Arc { from: arc.from + round * size, to, edge: arc.edge, closes_loop: false });
            }
        }
        graph.index();
        Ok(graph)
    }

    fn index(&mut self) {
        for (number, arc) in self.arcs.iter().enumerate() {
            self.nodes[arc.from].arcs.push(number);
        }
    }

    fn find_loops(&mut self, program: &Program) {
        let heads: BTreeSet<usize> = self.arcs.iter().filter(|arc| arc.closes_loop).map(|arc| arc.to).collect();
        for head in heads {
            let forward = self.reachable(head, |arc| (arc.from, arc.to));
            let backward = self.reachable(head, |arc| (arc.to, arc.from));
            let mut changes = Changes::default();
            let inside = |node: usize| forward[node] && backward[node];
            for arc in self.arcs.iter().filter(|arc| inside(arc.from) && inside(arc.to)) {
                self.add_changes(program, arc, self.nodes[head].routines.len() - 1, &mut changes);
            }
            self.nodes[head].head = Some(changes);
        }
    }

    fn reachable(&self, start: usize, direction: impl Fn(&Arc) -> (usize, usize)) -> Vec<bool> {
        let mut next = vec![Vec::new(); self.nodes.len()];
        for arc in &self.arcs {
            let (from, to) = direction(arc);
            next[from].push(to);
        }
        let mut reached = vec![false; self.nodes.len()];
        let mut work = vec![start];
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                work.extend(&next[node]);
            }
        }
        reached
    }

    /// Adds the locals of the frame at this depth that an arc assigns.
    fn add_changes(&self, program: &Program, arc: &Arc, wanted: usize, changes: &mut Changes) {
        let depth = |node: usize| self.nodes[node].routines.len() - 1;
        let mut assign = |depth: usize, var: VarRef| {
            if let (VarRef::Local(id), true) = (var, depth == wanted) {
                changes.insert(id);
            }
        };
        let edge = program.edge(arc.edge);
        match &edge.op {
            Op::Command(command) => match &command.update {
                Update::Assign(assignments) => {
                    assignments.iter().for_each(|(place, _)| assign(depth(arc.from), place.var));
                }
                Update::Action { frame, .. } => frame.iter().for_each(|&var| assign(depth(arc.from), var)),
            },
            Op::Call { .. } => {}
            Op::Return(_) => {
                let call = self.nodes[arc.from].point.calls.last().expect("a return is from a call");
                if let Op::Call { result: Some(place), .. } = &program.edge(*call).op {
                    assign(depth(arc.to), place.var);
                }
            }
        }
        let location = program.location(self.nodes[arc.to].point.location);
        location.dead.iter().for_each(|&dead| assign(depth(arc.to), VarRef::Local(dead)));
    }
}

struct Builder<'a> {
    program: &'a Program,
    numbers: BTreeMap<Point, usize>,
    /// Each point found, with its place in the order in which the search left points.
    found: Vec<(Point, usize)>,
    arcs: Vec<Arc>,
}

/// The search has entered a point and not left it.
const OPEN: usize = usize::MAX;

impl Builder<'_> {
    /// A depth-first search; arcs to points that are still open close loops.
    fn explore(&mut self, entry: Point) -> Result<(), NoGraph> {
        let mut left = 0;
        let first = self.enter(entry)?;
        let mut stack = vec![(first, self.successors(first)?)];
        while let Some((node, successors)) = stack.last_mut() {
            let node = *node;
            let Some((edge, point)) = successors.pop() else {
                self.found[node].1 = left;
                left += 1;
                stack.pop();
                continue;
            };
            let known = self.numbers.get(&point).copied();
            let to = known.map_or_else(|| self.enter(point), Ok)?;
            self.arcs.push(Arc { from: node, to, edge, closes_loop: self.found[to].1 == OPEN && known.is_some() });
            if known.is_none() {
                stack.push((to, self.successors(to)?));
            }
        }
        Ok(())
    }

    fn enter(&mut self, point: Point) -> Result<usize, NoGraph> {
        if self.found.len() >= MAX_POINTS {
            return Err(NoGraph::TooLarge);
        }
        self.numbers.insert(point.clone(), self.found.len());
        self.found.push((point, OPEN));
        Ok(self.found.len() - 1)
    }

    /// Where the edges lead, the first edge last.
    fn successors(&self, node: usize) -> Result<Vec<(EdgeId, Point)>, NoGraph> {
        let point = &self.found[node].0;
        let edges = &self.program.location(point.location).edges;
        edges.iter().rev().map(|&edge| Ok((edge, self.follow(point, edge)?))).collect()
    }

    fn follow(&self, point: &Point, id: EdgeId) -> Result<Point, NoGraph> {
        let edge = self.program.edge(id);
        let mut calls = point.calls.clone();
        let location = match &edge.op {
            Op::Command(_) => edge.to,
            Op::Call { routine, .. } => {
                if point.routines(self.program).contains(routine) {
                    return Err(NoGraph::Recursive(id));
                }
                calls.push(id);
                self.program.routine(*routine).entry
            }
            Op::Return(_) => {
                let call = calls.pop().expect("front ends end threads without a return");
                self.program.edge(call).to
            }
        };
        Ok(Point { calls, location })
    }

    /// Points in the reverse of the order in which the search left them.
    fn in_order(self) -> Graph {
        let count = self.found.len();
        let place = |node: usize| count - 1 - self.found[node].1;
        let mut points: Vec<Option<Point>> = vec![None; count];
        for (node, (point, _)) in self.found.iter().enumerate() {
            points[place(node)] = Some(point.clone());
        }
        let nodes = points.into_iter().flatten().map(|point| {
            let (inside_step, routines) = (point.is_inside_step(self.program), point.routines(self.program));
            Node { point, inside_step, routines, arcs: Vec::new(), head: None }
        });
        let arcs = self.arcs.iter().map(|arc| Arc { from: place(arc.from), to: place(arc.to), ..*arc });
        let mut graph = Graph { nodes: nodes.collect(), arcs: arcs.collect() };
        graph.index();
        graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadwise_front_tw::{Options, load};
    use threadwise_source::SourceFile;

    fn program(text: &str) -> Program {
        load(SourceFile::new("g.tw", text), &Options::default()).program.expect("a correct program")
    }

    #[test]
    fn nodes_come_after_those_that_lead_to_them() {
        let program = program(
            "shared x: int; proc p() { while (x > 0) { x = x - 1; } }
             thread P { loop { if (x > 1) { p(); } else { p(); } } }",
        );
        let graph = Graph::new(&program, TemplateId(0)).expect("a graph");
        for arc in &graph.arcs {
            assert_eq!(arc.from < arc.to, !arc.closes_loop);
        }
        // The thread's loop, and one for each of the two calls.
        assert_eq!(graph.nodes.iter().filter(|node| node.head.is_some()).count(), 3);
    }

    #[test]
    fn loops_know_what_they_change() {
        let program = program("thread P { var a, b: int; b = 1; while (a < b) { a = a + 1; } }");
        let graph = Graph::new(&program, TemplateId(0)).expect("a graph");
        let changes = graph.nodes.iter().find_map(|node| node.head.clone()).expect("a loop");
        assert_eq!(changes.into_iter().collect::<Vec<_>>(), [LocalId(0)]);
    }

    #[test]
    fn unrolled_code_has_no_loops() {
        let program = program("shared x: int; thread P { loop { x = x + 1; } }");
        let base = Graph::new(&program, TemplateId(0)).expect("a graph");
        let graph = Graph::unrolled(&program, TemplateId(0), 3).expect("a graph");
        assert_eq!(graph.nodes.len(), 4 * base.nodes.len());
        assert!(graph.arcs.iter().all(|arc| arc.from < arc.to && !arc.closes_loop));
        assert_eq!(graph.arcs.iter().filter(|arc| arc.to / base.nodes.len() > arc.from / base.nodes.len()).count(), 3);
    }

    #[test]
    fn recursion_has_no_graph() {
        let program = program("proc p() { p(); } thread P { p(); }");
        assert!(matches!(Graph::new(&program, TemplateId(0)), Err(NoGraph::Recursive(_))));
    }
}
