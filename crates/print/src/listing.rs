//! The program as text.

use crate::{
    location_numbers, locations_in_order, routines_in_order, show_contract, show_edge, show_expr, show_property,
    show_routine, show_shared, show_sort,
};
use std::fmt::Write;
use threadwise_ir::{AbstractThread, EdgeId, Expr, Location, LocationId, Program, RoutineId, SharedId};
use threadwise_source::Span;

/// Statements longer than this push their source position to the right.
const STATEMENT_WIDTH: usize = 40;

/// The whole program as text: types, variables, control-flow graphs, properties.
pub fn listing(program: &Program) -> String {
    let mut listing = Listing { program, numbers: location_numbers(program), out: String::new() };
    listing.declarations();
    for routine in routines_in_order(program) {
        listing.routine(routine);
    }
    listing.properties();
    listing.exceptions();
    listing.contracts();
    for thread in &program.abstract_threads {
        listing.abstract_thread(thread);
    }
    listing.legend();
    listing.out
}

struct Listing<'a> {
    program: &'a Program,
    numbers: Vec<usize>,
    out: String,
}

impl Listing<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    /// A statement or a declaration with the place it comes from.
    fn line_at(&mut self, text: &str, width: usize, span: Span) {
        let position = self.program.source.locate(span);
        self.line(&format!("{text:<width$}  {position}"));
    }

    fn gap(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn declarations(&mut self) {
        for def in &self.program.enums {
            let members: Vec<&str> = def.members.iter().map(|m| &**m).collect();
            self.line(&format!("type {} = enum {{ {} }};", def.name, members.join(", ")));
        }
        for var in &self.program.shared {
            self.line(&format!("{};", show_shared(self.program, var)));
        }
        for e in &self.program.init {
            self.line(&format!("init {};", show_expr(self.program, e, None)));
        }
    }

    fn routine(&mut self, id: RoutineId) {
        let program = self.program;
        let routine = program.routine(id);
        self.gap();
        self.line(&show_routine(program, id));
        for (index, var) in routine.locals.iter().enumerate() {
            // Parameters and the result stand in the first line.
            let is_result = routine.result.is_some_and(|result| result.index() == index);
            if index >= routine.params && !is_result {
                let sort = show_sort(program, &var.sort);
                self.line(&format!("                var {}: {sort};", var.name));
            }
        }
        for location in locations_in_order(program, id) {
            self.location(location);
        }
    }

    fn location(&mut self, id: LocationId) {
        let location = self.program.location(id);
        let routine = self.program.routine(location.routine);
        let is_exit = routine.exit == id;
        if location.edges.is_empty() && !is_exit && location.labels.is_empty() {
            return;
        }
        for label in &location.labels {
            self.line(&format!("                {label}:"));
        }
        for e in &location.invariants {
            self.annotation("invariant", e, location);
        }
        if is_exit && self.is_reached(id) {
            self.line(&format!("  {:>3}           end", self.number(id)));
        }
        for &edge in &location.edges {
            self.edge(edge);
        }
    }

    /// Nothing leads to the end of a procedure or behind an endless loop.
    fn is_reached(&self, id: LocationId) -> bool {
        let routine = self.program.location(id).routine;
        self.program.routine(routine).entry == id || self.program.edges_of(routine).any(|(_, edge)| edge.to == id)
    }

    fn annotation(&mut self, keyword: &str, e: &Expr, location: &Location) {
        let text = show_expr(self.program, e, Some(location.routine));
        self.line(&format!("                {keyword} {text}"));
    }

    fn edge(&mut self, id: EdgeId) {
        let edge = self.program.edge(id);
        let (from, to) = (self.point(edge.from), self.point(edge.to));
        let statement = show_edge(self.program, id);
        let step = format!("  {from:>4} → {to:<5}  {statement}");
        self.line_at(&step, STATEMENT_WIDTH + 16, edge.span);
    }

    fn number(&self, id: LocationId) -> usize {
        self.numbers[id.index()]
    }

    /// The number of a location; a dot marks points that no other thread sees.
    fn point(&self, id: LocationId) -> String {
        let mark = if self.program.location(id).transient { "·" } else { " " };
        format!("{}{mark}", self.number(id))
    }

    fn properties(&mut self) {
        self.gap_if(!self.program.properties.is_empty());
        for property in &self.program.properties {
            let text = format!("{};", show_property(self.program, property));
            self.line(&text);
        }
    }

    fn exceptions(&mut self) {
        self.gap_if(!self.program.exceptions.is_empty());
        for e in &self.program.exceptions {
            self.line(&format!("exceptions {};", show_expr(self.program, e, None)));
        }
    }

    fn contracts(&mut self) {
        let program = self.program;
        self.gap_if(!program.relies.is_empty() || !program.guarantees.is_empty());
        for contract in &program.relies {
            self.line(&format!("{};", show_contract(program, "rely", contract)));
        }
        for contract in &program.guarantees {
            self.line(&format!("{};", show_contract(program, "guarantee", contract)));
        }
    }

    fn gap_if(&mut self, condition: bool) {
        if condition {
            self.gap();
        }
    }

    fn abstract_thread(&mut self, thread: &AbstractThread) {
        let program = self.program;
        self.gap();
        self.line(&format!("abstract {}", program.template(thread.template).name));
        let initial: Vec<&str> = thread.init.iter().map(|&i| &*thread.nodes[i].name).collect();
        self.line(&format!("  init {};", initial.join(", ")));
        if thread.idle {
            self.line("  idle;");
        }
        for node in &thread.nodes {
            let text = match &node.assertion {
                Some(e) => format!("  {}: assert {};", node.name, show_expr(program, e, None)),
                None => format!("  {}:;", node.name),
            };
            self.line(&text);
        }
        let name = |index: usize| thread.nodes[index].name.chars().count();
        let ends = thread.edges.iter().map(|e| name(e.from) + 3 + name(e.to));
        let width = ends.max().unwrap_or(0);
        for edge in &thread.edges {
            let (from, to) = (&thread.nodes[edge.from].name, &thread.nodes[edge.to].name);
            let label = show_abstract_step(program, &edge.frame, edge.formula.as_ref());
            let ends = format!("{from} → {to}");
            let step = format!("  {ends:<width$}  {label}");
            self.line_at(&step, STATEMENT_WIDTH + 16, edge.span);
        }
    }

    fn legend(&mut self) {
        if self.program.locations.iter().any(|l| l.transient) {
            self.gap();
            self.line("· a point inside a step: no other thread runs while control is there");
        }
    }
}

/// `[g] g' > 0;`
pub(crate) fn show_abstract_step(program: &Program, frame: &[SharedId], formula: Option<&Expr>) -> String {
    let names: Vec<&str> = frame.iter().map(|id| &*program.shared[id.index()].name).collect();
    let formula = formula.map_or("true".to_string(), |e| show_expr(program, e, None));
    let mut text = String::new();
    let _ = write!(text, "[{}] {formula};", names.join(", "));
    text
}
