//! The program whose specified threads run their abstract threads instead of their own code.
//!
//! A node of an abstract thread becomes a location, an edge an action. A node's assertion becomes a
//! step that is never taken but goes wrong where the assertion does not hold, so that being in the
//! node with a false assertion is an error (ABSTHR, section 2: the error states of a thread). The
//! `idle` steps are left out: they lead from a state of the whole program to itself.
//!
//! Code that nothing runs any more is dropped, so that what it does (recursion, `ord`, identities
//! in local variables) does not stand in the way of the engines.

mod properties;
mod simulation;

pub use properties::{Inexpressible, LocalProperty};

use crate::{
    AbstractThread, Assertion, AssertionKind, Command, Edge, EdgeId, Expr, Location, LocationId, Op, Program, Routine,
    RoutineId, TemplateId, Update, VarRef,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_source::Span;

/// A program, divided into what each specified thread must do on its own and what the abstract
/// threads must do together.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// The program in which the specified threads run their abstract threads.
    pub composition: Arc<Program>,
    /// The properties that became errors of a single thread. They are not in the composition.
    pub local: Vec<LocalProperty>,
    /// For each specified template, its locations that count as one of its nodes. See
    /// [`Abstraction::agrees`].
    labelled: properties::Labelled,
}

impl Abstraction {
    /// Whether a node may stand for a location, as far as the properties of the composition can
    /// tell: where a property asks for a label that is also the name of a node, thread and abstract
    /// thread must be there at the same time.
    pub fn agrees(&self, template: TemplateId, location: LocationId, node: usize) -> bool {
        let labelled = self.labelled.get(&template).into_iter().flatten();
        labelled.into_iter().all(|(locations, named)| locations.contains(&location) == (*named == node))
    }
}

impl Program {
    /// The abstract thread of a template.
    pub fn abstract_thread(&self, template: TemplateId) -> Option<&AbstractThread> {
        self.abstract_threads.iter().find(|thread| thread.template == template)
    }

    /// The program divided along its abstract threads, or a property that cannot be asked of them.
    pub fn abstraction(&self) -> Result<Abstraction, Inexpressible> {
        let mut builder = Builder::new(self);
        let mut nodes = BTreeMap::new();
        for thread in &self.abstract_threads {
            nodes.insert(thread.template, builder.abstract_thread(thread));
        }
        properties::share_out(self, &nodes, builder)
    }
}

/// Puts the composition together.
struct Builder<'a> {
    old: &'a Program,
    new: Program,
    /// Where the locations that are kept went.
    locations: Vec<Option<LocationId>>,
}

impl<'a> Builder<'a> {
    /// The program without the code of the specified threads; they have no body yet.
    fn new(old: &'a Program) -> Builder<'a> {
        let mut kept = vec![false; old.routines.len()];
        for index in (0..old.templates.len() as u32).map(TemplateId) {
            if old.abstract_thread(index).is_none() {
                old.routines_of(index).iter().for_each(|routine| kept[routine.index()] = true);
            }
        }
        let routines = numbers(&kept);
        let here: Vec<bool> = old.locations.iter().map(|location| kept[location.routine.index()]).collect();
        let locations: Vec<Option<LocationId>> = numbers(&here).into_iter().map(|n| n.map(LocationId)).collect();
        let taken: Vec<bool> = old.edges.iter().map(|edge| here[edge.from.index()]).collect();
        let edges = numbers(&taken);
        let unrolled = Arc::default();
        let mut new = Program { abstract_threads: Vec::new(), telling: None, unrolled, ..old.clone() };
        retain(&mut new.routines, &kept);
        retain(&mut new.locations, &here);
        let new_edges = old.edges.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(edge, _)| edge.clone());
        let mut new_edges: Vec<Edge> = new_edges.collect();
        let place = |location: LocationId| locations[location.index()].expect("kept code stays within itself");
        let routine = |id: RoutineId| RoutineId(routines[id.index()].expect("kept code calls kept code"));
        for code in &mut new.routines {
            (code.entry, code.exit) = (place(code.entry), place(code.exit));
        }
        for location in &mut new.locations {
            location.routine = routine(location.routine);
            for edge in &mut location.edges {
                *edge = EdgeId(edges[edge.index()].expect("edges leave kept locations"));
            }
        }
        for edge in &mut new_edges {
            (edge.from, edge.to) = (place(edge.from), place(edge.to));
            if let Op::Call { routine: callee, .. } = &mut edge.op {
                *callee = routine(*callee);
            }
        }
        new.edges = Arc::new(new_edges);
        for template in &mut new.templates {
            // A specified thread gets its body in `abstract_thread`.
            template.body = routines[template.body.index()].map_or(template.body, RoutineId);
        }
        Builder { old, new, locations }
    }

    /// Adds the code of an abstract thread, and gives the locations of its nodes.
    fn abstract_thread(&mut self, thread: &AbstractThread) -> Vec<LocationId> {
        let body = RoutineId(self.new.routines.len() as u32);
        let name = self.old.template(thread.template).name.clone();
        let exit = self.location(body, Vec::new(), thread.span);
        let nodes: Vec<LocationId> =
            thread.nodes.iter().map(|node| self.location(body, vec![node.name.clone()], node.span)).collect();
        let entry = match thread.init[..] {
            [only] => nodes[only],
            _ => self.choice_of_start(body, thread, &nodes),
        };
        self.new.routines.push(Routine { entry, exit, ..Routine::new(name) });
        self.new.templates[thread.template.index()].body = body;
        for (node, &at) in thread.nodes.iter().zip(&nodes) {
            if let Some(condition) = &node.assertion {
                let assertion = Assertion { condition: condition.clone(), kind: AssertionKind::Assert, message: None };
                let never = Some(Box::new(Expr::bool(false, condition.span)));
                let command = Command { assertions: [assertion].into(), guard: never, update: Update::default() };
                self.edge(at, at, command, condition.span);
            }
        }
        for edge in &thread.edges {
            let frame = edge.frame.iter().map(|&id| VarRef::Shared(id)).collect();
            let formula = edge.formula.clone().unwrap_or_else(|| Expr::bool(true, edge.span));
            let update = Update::Action { frame, formula: Box::new(formula), assertion: None };
            self.edge(nodes[edge.from], nodes[edge.to], Command { update, ..Command::default() }, edge.span);
        }
        nodes
    }

    /// A point before the first step from which the thread goes to any of its initial nodes.
    fn choice_of_start(&mut self, body: RoutineId, thread: &AbstractThread, nodes: &[LocationId]) -> LocationId {
        let entry = self.location(body, Vec::new(), thread.span);
        self.new.locations[entry.index()].transient = true;
        for &node in &thread.init {
            self.edge(entry, nodes[node], Command::default(), thread.nodes[node].span);
        }
        entry
    }

    fn location(&mut self, routine: RoutineId, labels: Vec<Arc<str>>, span: Span) -> LocationId {
        let id = LocationId(self.new.locations.len() as u32);
        self.new.locations.push(Location { labels: labels.into(), ..Location::new(routine, span) });
        id
    }

    fn edge(&mut self, from: LocationId, to: LocationId, command: Command, span: Span) {
        let id = EdgeId(self.new.edges.len() as u32);
        Arc::make_mut(&mut self.new.edges).push(Edge {
            from,
            to,
            op: Op::Command(command),
            span,
            branch: None,
            atomic: false,
        });
        self.new.locations[from.index()].edges.push(id);
    }
}

/// Numbers what is kept.
fn numbers(kept: &[bool]) -> Vec<Option<u32>> {
    let mut next = 0;
    let number = |&kept: &bool| {
        next += kept as u32;
        kept.then(|| next - 1)
    };
    kept.iter().map(number).collect()
}

fn retain<T>(all: &mut Vec<T>, kept: &[bool]) {
    let mut flags = kept.iter();
    all.retain(|_| *flags.next().expect("one flag each"));
}
