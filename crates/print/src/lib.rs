//! The printed form of a program: what the engines see, in the words of the language.
//!
//! Expressions are printed with the parentheses they need and no others. Locks are gone by now, so
//! `acquire(m)` shows as what it means: `await m == none; m = self;`.

mod beside;
mod dot;
mod expr;
mod listing;

pub use beside::abstract_listing;
pub use dot::{abstract_dot, dot};
pub use listing::listing;

use expr::ExprPrinter;
use listing::show_abstract_step;
use threadwise_ir::{
    Command, Contract, Copies, Domain, Edge, EdgeId, Expr, Initial, LocationId, Op, Place, Program, Property,
    RoutineId, SharedVar, Sort, Template, Update, Value, VarRef, Wording,
};

/// A sort as the user writes it.
pub fn show_sort(program: &Program, sort: &Sort) -> String {
    sort.display(&|id| &program.enums[id.index()].name).to_string()
}

/// An expression. `routine` says whose locals it reads; properties and contracts read none.
pub fn show_expr(program: &Program, e: &Expr, routine: Option<RoutineId>) -> String {
    ExprPrinter::new(program, routine).print(e)
}

/// The name of a variable.
pub fn show_var(program: &Program, var: VarRef, routine: Option<RoutineId>) -> String {
    ExprPrinter::new(program, routine).var(var, "")
}

/// What an edge does, as a statement.
pub fn show_edge(program: &Program, id: EdgeId) -> String {
    let edge = program.edge(id);
    let printer = OpPrinter { program, routine: program.location(edge.from).routine };
    printer.edge(edge)
}

/// A property as it is declared, without the semicolon.
pub fn show_property(program: &Program, property: &Property) -> String {
    let formula = || property.formula().map_or_else(String::new, |(e, _)| show_expr(program, e, None));
    match &property.wording {
        Wording::Invariant(None) => format!("invariant {}", formula()),
        Wording::Invariant(Some(name)) => format!("invariant {name}: {}", formula()),
        Wording::Never(None) => format!("never {}", formula()),
        Wording::Never(Some(name)) => format!("never {name}: {}", formula()),
        Wording::NoRace(name) => format!("norace {name}"),
        Wording::NoDeadlock => "nodeadlock".to_string(),
        Wording::NoLockCycle => "nodeadlock: no cycle of mutexes".to_string(),
    }
}

/// For each location its number within its routine, counted from 0, the end last: what
/// listings show.
pub fn location_numbers(program: &Program) -> Vec<usize> {
    let mut numbers = vec![0; program.locations.len()];
    for routine in 0..program.routines.len() {
        let own = locations_in_order(program, RoutineId(routine as u32));
        for (number, id) in own.into_iter().enumerate() {
            numbers[id.index()] = number;
        }
    }
    numbers
}

/// `thread P`, `thread W[4]` or `thread W[*]`.
fn show_template(template: &Template) -> String {
    match template.copies {
        Copies::Single => format!("thread {}", template.name),
        Copies::Exactly(n) => format!("thread {}[{n}]", template.name),
        Copies::Any => format!("thread {}[*]", template.name),
    }
}

/// `shared x: int = 0`, with the initial value even where the program leaves it to the type.
fn show_shared(program: &Program, var: &SharedVar) -> String {
    let value = match &var.init {
        Initial::Default => show_default(program, &var.sort),
        Initial::Any => "*".to_string(),
        Initial::Value(e) => show_expr(program, e, None),
    };
    format!("shared {}: {} = {value}", var.name, show_sort(program, &var.sort))
}

fn show_default(program: &Program, sort: &Sort) -> String {
    match sort {
        Sort::Bool => "false".to_string(),
        Sort::Int | Sort::Bits(_) => "0".to_string(),
        Sort::Range(lo, _) => lo.to_string(),
        Sort::Enum(id) => {
            let first = program.enums[id.index()].members.first();
            first.map_or_else(String::new, |member| member.to_string())
        }
        Sort::Tid => "none".to_string(),
        Sort::Set(_) => "{}".to_string(),
        Sort::Array(_, element) => format!("all {}", show_default(program, element)),
    }
}

fn show_contract(program: &Program, keyword: &str, contract: &Contract) -> String {
    let name = &contract.binder;
    let mut printer = ExprPrinter::new(program, None);
    printer.bind(name.clone());
    let formula = printer.print(&contract.formula);
    let subject = match &contract.subject {
        Domain::Copies(id) if program.template(*id).copies == Copies::Single => program.template(*id).name.to_string(),
        domain => format!("forall {name}: {}", show_domain(program, domain)),
    };
    format!("{keyword} {subject} :: {formula}")
}

fn show_domain(program: &Program, domain: &Domain) -> String {
    match domain {
        Domain::Sort(sort) => show_sort(program, sort),
        Domain::Copies(id) => program.template(*id).name.to_string(),
    }
}

/// The locations of a routine in order, its end last.
fn locations_in_order(program: &Program, routine: RoutineId) -> Vec<LocationId> {
    let exit = program.routine(routine).exit;
    let mut own: Vec<LocationId> = program.locations_of(routine).map(|(id, _)| id).collect();
    own.sort_by_key(|&id| id == exit);
    own
}

/// The threads' routines in order of declaration, then the procedures.
fn routines_in_order(program: &Program) -> Vec<RoutineId> {
    let mut order: Vec<RoutineId> = program.templates.iter().map(|t| t.body).collect();
    let all = (0..program.routines.len()).map(|i| RoutineId(i as u32));
    let procedures: Vec<RoutineId> = all.filter(|id| !order.contains(id)).collect();
    order.extend(procedures);
    order
}

/// `thread W[4]`, or `proc p(a: int) returns (r: bool)`.
fn show_routine(program: &Program, id: RoutineId) -> String {
    if let Some(template) = program.templates.iter().find(|t| t.body == id) {
        return show_template(template);
    }
    let routine = program.routine(id);
    let var = |v: &threadwise_ir::LocalVar| format!("{}: {}", v.name, show_sort(program, &v.sort));
    let params: Vec<String> = routine.locals[..routine.params].iter().map(var).collect();
    let head = format!("proc {}({})", routine.name, params.join(", "));
    match routine.result {
        Some(result) => format!("{head} returns ({})", var(&routine.locals[result.index()])),
        None => head,
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
                let names = frame.iter().map(|&v| show_var(self.program, v, Some(self.routine)));
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
        let mut text = show_var(self.program, place.var, Some(self.routine));
        for index in &place.indices {
            text.push_str(&format!("[{}]", self.expr(index)));
        }
        text
    }

    fn expr(&self, e: &Expr) -> String {
        show_expr(self.program, e, Some(self.routine))
    }
}
