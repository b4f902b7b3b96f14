//! The printed form of a program: what the engines see, in the words of the language.
//!
//! Expressions are printed with the parentheses they need and no others. Locks are gone by now, so
//! `acquire(m)` shows as what it means: `await m == none; m = self;`.

mod beside;
mod dot;
mod expr;
mod listing;

use crate::{
    Command, Contract, Copies, Domain, Edge, EdgeId, Expr, Initial, LocationId, Op, Place, Program, Property,
    PropertyKind, RoutineId, SharedVar, Sort, Template, Update, Value, VarRef,
};
use expr::ExprPrinter;

impl Program {
    /// The whole program as text: types, variables, control-flow graphs, properties.
    pub fn listing(&self) -> String {
        listing::listing(self)
    }

    /// The control-flow graphs as a Graphviz digraph, one cluster for each thread and procedure.
    pub fn dot(&self) -> String {
        dot::dot(self)
    }

    /// Each specified thread beside its abstract thread, as text.
    pub fn abstract_listing(&self) -> String {
        beside::beside(self)
    }

    /// The specified threads and their abstract threads as a Graphviz digraph, each pair in a frame.
    pub fn abstract_dot(&self) -> String {
        dot::abstract_dot(self)
    }

    /// A sort as the user writes it.
    pub fn show_sort(&self, sort: &Sort) -> String {
        sort.display(&|id| &self.enums[id.index()].name).to_string()
    }

    /// An expression. `routine` says whose locals it reads; properties and contracts read none.
    pub fn show_expr(&self, e: &Expr, routine: Option<RoutineId>) -> String {
        ExprPrinter::new(self, routine).print(e)
    }

    /// The name of a variable.
    pub fn show_var(&self, var: VarRef, routine: Option<RoutineId>) -> String {
        ExprPrinter::new(self, routine).var(var, "")
    }

    /// What an edge does, as a statement.
    pub fn show_edge(&self, id: EdgeId) -> String {
        let edge = self.edge(id);
        let printer = OpPrinter { program: self, routine: self.location(edge.from).routine };
        printer.edge(edge)
    }

    /// A property as it is declared, without the semicolon.
    pub fn show_property(&self, property: &Property) -> String {
        match &property.kind {
            PropertyKind::Invariant(None, e) => format!("invariant {}", self.show_expr(e, None)),
            PropertyKind::Invariant(Some(name), e) => {
                format!("invariant {name}: {}", self.show_expr(e, None))
            }
            PropertyKind::Never(e) => format!("never {}", self.show_expr(e, None)),
            PropertyKind::NoRace(name, _) => format!("norace {name}"),
        }
    }

    /// For each location its number within its routine, counted from 0, the end last: what
    /// listings show.
    pub fn location_numbers(&self) -> Vec<usize> {
        let mut numbers = vec![0; self.locations.len()];
        for routine in 0..self.routines.len() {
            let own = self.locations_in_order(RoutineId(routine as u32));
            for (number, id) in own.into_iter().enumerate() {
                numbers[id.index()] = number;
            }
        }
        numbers
    }

    /// `thread P`, `thread W[4]` or `thread W[*]`.
    fn show_template(&self, template: &Template) -> String {
        match template.copies {
            Copies::Single => format!("thread {}", template.name),
            Copies::Exactly(n) => format!("thread {}[{n}]", template.name),
            Copies::Any => format!("thread {}[*]", template.name),
        }
    }

    /// `shared x: int = 0`, with the initial value even where the program leaves it to the type.
    fn show_shared(&self, var: &SharedVar) -> String {
        let value = match &var.init {
            Initial::Default => self.show_default(&var.sort),
            Initial::Any => "*".to_string(),
            Initial::Value(e) => self.show_expr(e, None),
        };
        format!("shared {}: {} = {value}", var.name, self.show_sort(&var.sort))
    }

    fn show_default(&self, sort: &Sort) -> String {
        match sort {
            Sort::Bool => "false".to_string(),
            Sort::Int => "0".to_string(),
            Sort::Range(lo, _) => lo.to_string(),
            Sort::Enum(id) => {
                let first = self.enums[id.index()].members.first();
                first.map_or_else(String::new, |member| member.to_string())
            }
            Sort::Tid => "none".to_string(),
            Sort::Set(_) => "{}".to_string(),
            Sort::Array(_, element) => format!("all {}", self.show_default(element)),
        }
    }

    fn show_contract(&self, keyword: &str, contract: &Contract) -> String {
        let name = &contract.binder;
        let mut printer = ExprPrinter::new(self, None);
        printer.bind(name.clone());
        let formula = printer.print(&contract.formula);
        let subject = match &contract.subject {
            Domain::Copies(id) if self.template(*id).copies == Copies::Single => self.template(*id).name.to_string(),
            domain => format!("forall {name}: {}", self.show_domain(domain)),
        };
        format!("{keyword} {subject} :: {formula}")
    }

    fn show_domain(&self, domain: &Domain) -> String {
        match domain {
            Domain::Sort(sort) => self.show_sort(sort),
            Domain::Copies(id) => self.template(*id).name.to_string(),
        }
    }

    /// The locations of a routine in order, its end last.
    fn locations_in_order(&self, routine: RoutineId) -> Vec<LocationId> {
        let exit = self.routine(routine).exit;
        let mut own: Vec<LocationId> = self.locations_of(routine).map(|(id, _)| id).collect();
        own.sort_by_key(|&id| id == exit);
        own
    }

    /// The threads' routines in order of declaration, then the procedures.
    fn routines_in_order(&self) -> Vec<RoutineId> {
        let mut order: Vec<RoutineId> = self.templates.iter().map(|t| t.body).collect();
        let all = (0..self.routines.len()).map(|i| RoutineId(i as u32));
        let procedures: Vec<RoutineId> = all.filter(|id| !order.contains(id)).collect();
        order.extend(procedures);
        order
    }

    /// `thread W[4]`, or `proc p(a: int) returns (r: bool)`.
    fn show_routine(&self, id: RoutineId) -> String {
        if let Some(template) = self.templates.iter().find(|t| t.body == id) {
            return self.show_template(template);
        }
        let routine = self.routine(id);
        let var = |v: &crate::LocalVar| format!("{}: {}", v.name, self.show_sort(&v.sort));
        let params: Vec<String> = routine.locals[..routine.params].iter().map(var).collect();
        let head = format!("proc {}({})", routine.name, params.join(", "));
        match routine.result {
            Some(result) => format!("{head} returns ({})", var(&routine.locals[result.index()])),
            None => head,
        }
    }
}

/// Prints what edges of one routine do.
struct OpPrinter<'a> {
    program: &'a Program,
    routine: RoutineId,
}

impl OpPrinter<'_> {
    fn edge(&self, edge: &Edge) -> String {
        match &edge.op {
            Op::Command(command) => self.command(command, edge.branch.is_some()),
            Op::Call { routine, args, result } => {
                let args: Vec<String> = args.iter().map(|e| self.expr(e)).collect();
                let name = &self.program.routine(*routine).name;
                let call = format!("{name}({});", args.join(", "));
                match result {
                    Some(place) => format!("{} = {call}", self.place(place)),
                    None => call,
                }
            }
            Op::Return(Some(e)) => format!("return {};", self.expr(e)),
            Op::Return(None) => "return;".to_string(),
        }
    }

    /// The parts of a guarded command in the order in which they happen, within one step.
    fn command(&self, command: &Command, is_test: bool) -> String {
        let mut parts = Vec::new();
        for assertion in &command.assertions {
            parts.push(format!("assert {};", self.expr(&assertion.condition)));
        }
        match (&command.guard, is_test) {
            (Some(guard), true) => parts.push(format!("[{}]", self.expr(guard))),
            (Some(guard), false) => parts.push(format!("await {};", self.expr(guard))),
            (None, true) => parts.push("[*]".to_string()),
            (None, false) => {}
        }
        parts.extend(self.update(&command.update));
        if parts.is_empty() {
            parts.push("skip;".to_string());
        }
        parts.join(" ")
    }

    fn update(&self, update: &Update) -> Option<String> {
        match update {
            Update::Assign(assignments) if assignments.is_empty() => None,
            Update::Assign(assignments) => {
                let places: Vec<String> = assignments.iter().map(|(p, _)| self.place(p)).collect();
                let values: Vec<String> = assignments.iter().map(|(_, v)| self.value(v)).collect();
                Some(format!("{} = {};", places.join(", "), values.join(", ")))
            }
            Update::Action { frame, formula, assertion } => {
                let names = frame.iter().map(|&v| self.program.show_var(v, Some(self.routine)));
                let names = names.collect::<Vec<_>>().join(", ");
                let action = format!("action [{names}] {}", self.expr(formula));
                Some(match assertion {
                    Some(e) => format!("{action} assert {};", self.expr(e)),
                    None => format!("{action};"),
                })
            }
        }
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Of(e) => self.expr(e),
            Value::Any => "*".to_string(),
        }
    }

    fn place(&self, place: &Place) -> String {
        let mut text = self.program.show_var(place.var, Some(self.routine));
        for index in &place.indices {
            text.push_str(&format!("[{}]", self.expr(index)));
        }
        text
    }

    fn expr(&self, e: &Expr) -> String {
        self.program.show_expr(e, Some(self.routine))
    }
}
