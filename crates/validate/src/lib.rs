//! What engines and judges rely on in a program, checked once. A front end that breaks one of these rules has a fault: no
//! text that a user writes may lead to it.

mod code;
mod expr;

use expr::Scope;
use threadwise_ir::{
    AbstractThread, Contract, Copies, Domain, Expr, ExprKind, Initial, LocationId, Op, Program, Region, SharedId, Sort,
    TemplateId, VarRef, Violated,
};

/// The program when all of it is there: what every front end ends with. Builds with debug assertions see that it
/// keeps the rules that engines rely on.
pub fn finished(program: Program) -> Program {
    let program = program.indexed();
    debug_assert!(validate(&program).is_empty(), "{:#?}", validate(&program));
    program
}

/// What is wrong with the program, in words; nothing if engines can rely on it.
pub fn validate(program: &Program) -> Vec<String> {
    let mut validator = Validator { program, wrong: Vec::new() };
    validator.declarations();
    // Ids are followed below, so they must be right first.
    if validator.wrong.is_empty() {
        validator.ids();
    }
    if validator.wrong.is_empty() {
        validator.code();
        validator.formulas();
    }
    validator.wrong
}

struct Validator<'a> {
    program: &'a Program,
    wrong: Vec<String>,
}

impl Validator<'_> {
    /// Notes what is wrong unless the condition holds.
    fn require(&mut self, condition: bool, wrong: impl FnOnce() -> String) {
        if !condition {
            self.wrong.push(wrong());
        }
    }

    /// Enumerations, variables, templates, routines: everything that others refer to.
    fn declarations(&mut self) {
        let program = self.program;
        for var in &program.shared {
            self.sort(&var.sort, &format!("the variable {}", var.name));
        }
        for (id, template) in program.templates.iter().enumerate() {
            let name = &template.name;
            self.require(template.body.index() < program.routines.len(), || format!("thread {name} has no body"));
            let is_shared = program.templates[..id].iter().any(|other| other.body == template.body);
            self.require(!is_shared, || format!("thread {name} has the body of another thread"));
        }
        for routine in &program.routines {
            self.routine(routine);
        }
    }

    /// The ids in locations and edges.
    fn ids(&mut self) {
        let program = self.program;
        let (locations, edges, routines) = (program.locations.len(), program.edges.len(), program.routines.len());
        for (location, id) in program.locations.iter().zip(0..) {
            let id = LocationId(id);
            self.require(location.routine.index() < routines, || format!("{id:?} is in no routine"));
            let all_there = location.edges.iter().all(|edge| edge.index() < edges);
            self.require(all_there, || format!("{id:?} lists an edge that is not there"));
        }
        for (index, edge) in program.edges.iter().enumerate() {
            let ends_there = edge.from.index() < locations && edge.to.index() < locations;
            self.require(ends_there, || format!("edge {index} starts or ends nowhere"));
            let calls_nothing = matches!(edge.op, Op::Call { routine, .. } if routine.index() >= routines);
            self.require(!calls_nothing, || format!("edge {index} calls a routine that is not there"));
        }
    }

    /// Initial values, properties, contracts, abstract threads, exceptions.
    fn formulas(&mut self) {
        let program = self.program;
        for (id, var) in program.shared.iter().enumerate() {
            if let Initial::Value(e) = &var.init {
                let what = format!("the initial value of {}", var.name);
                self.fits(e, &var.sort, &Scope::default(), &what);
                let is_later =
                    |e: &Expr| matches!(e.kind, ExprKind::Read(VarRef::Shared(other)) if other.index() >= id);
                self.require(!e.any(&is_later), || format!("{what} reads what has no value yet"));
            }
        }
        for e in &program.init {
            self.condition(e, &Scope::default(), "an initial condition");
        }
        for property in &program.properties {
            match &property.violated {
                Violated::When(e, _) => self.condition(e, &Scope::property(), "a property"),
                Violated::By(pattern) => pattern.signs().iter().for_each(|sign| self.region(sign.region())),
            }
        }
        for e in &program.exceptions {
            self.condition(e, &Scope::property(), "an exception");
        }
        for contract in program.relies.iter().chain(&program.guarantees) {
            self.contract(contract);
        }
        for (index, thread) in program.abstract_threads.iter().enumerate() {
            let is_second = program.abstract_threads[..index].iter().any(|other| other.template == thread.template);
            self.require(!is_second, || "two abstract threads specify one thread".to_string());
            self.abstract_thread(thread);
        }
    }

    fn region(&mut self, region: &Region) {
        let all_there = !region.vars.is_empty() && region.vars.iter().all(|&var| self.has_shared(var));
        self.require(all_there, || "a pattern is of no shared variable".to_string());
        let depth = |var: &SharedId| self.program.shared[var.index()].sort.array_depth();
        let are_elements = all_there && region.vars.iter().all(|var| region.depth <= depth(var));
        self.require(!all_there || are_elements, || "a pattern is of elements that are not there".to_string());
    }

    fn contract(&mut self, contract: &Contract) {
        self.domain(&contract.subject, "a contract");
        let is_thread = contract.subject.sort() == Sort::Tid;
        self.require(is_thread, || "the subject of a contract is no thread".to_string());
        let scope = Scope { after: true, bound: vec![Sort::Tid], ..Scope::default() };
        self.condition(&contract.formula, &scope, "a contract");
    }

    fn abstract_thread(&mut self, thread: &AbstractThread) {
        if !self.has_template(thread.template) {
            return self.wrong.push("an abstract thread specifies no thread".to_string());
        }
        let count = thread.nodes.len();
        let starts = !thread.init.is_empty() && thread.init.iter().all(|&node| node < count);
        self.require(starts, || "an abstract thread starts at no node".to_string());
        let scope = Scope { own: true, ..Scope::default() };
        for node in &thread.nodes {
            node.assertion.iter().for_each(|e| self.condition(e, &scope, "the assertion of a node"));
        }
        for edge in &thread.edges {
            self.require(edge.from < count && edge.to < count, || {
                "an abstract edge starts or ends nowhere".to_string()
            });
            let has_frame = edge.frame.iter().all(|&var| self.has_shared(var));
            self.require(has_frame, || "an abstract edge changes a variable that is not there".to_string());
            let scope = Scope { after: true, ..scope.clone() };
            edge.formula.iter().for_each(|e| self.condition(e, &scope, "the formula of an abstract edge"));
        }
    }

    fn domain(&mut self, domain: &Domain, what: &str) {
        match domain {
            Domain::Sort(sort) => {
                self.sort(sort, what);
                self.require(is_finite_scalar(sort), || format!("{what} binds a variable of sort {sort:?}"));
            }
            Domain::Copies(template) => {
                self.require(self.has_template(*template), || format!("{what} binds copies of no thread"));
            }
        }
    }

    fn has_shared(&self, id: SharedId) -> bool {
        id.index() < self.program.shared.len()
    }

    fn has_template(&self, id: TemplateId) -> bool {
        id.index() < self.program.templates.len()
    }

    fn is_single(&self, id: TemplateId) -> bool {
        self.program.templates.get(id.index()).is_some_and(|template| template.copies == Copies::Single)
    }
}

/// Whether a sort can be the key of an array, an element of a set, or what a bound variable ranges over.
fn is_finite_scalar(sort: &Sort) -> bool {
    match sort {
        Sort::Bool | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => true,
        Sort::Int | Sort::Set(_) | Sort::Array(..) => false,
    }
}
