//! Programs as text, for snapshots.

use std::fmt::Write;
use threadwise_diagnostics::render;
use threadwise_front_tw::{Lowered, Options, load};
use threadwise_ir::{
    AssertionKind, Command, Domain, Expr, ExprKind, LocationId, Op, Place, Program, Routine, Sort, UnaryOp, Update,
    Value, VarRef,
};
use threadwise_source::SourceFile;

/// Everything that is said about a program.
pub fn errors(text: &str) -> String {
    errors_with(text, &[])
}

/// The same with values for constants.
pub fn errors_with(text: &str, defines: &[(&str, i64)]) -> String {
    let (file, lowered) = lower_text(text, defines);
    render(&file.clone().into(), &lowered.diagnostics, false)
}

/// A program that must be right.
pub fn program(text: &str) -> Program {
    let (file, lowered) = lower_text(text, &[]);
    let complaints = render(&file.clone().into(), &lowered.diagnostics, false);
    lowered.program.unwrap_or_else(|| panic!("{complaints}"))
}

fn lower_text(text: &str, defines: &[(&str, i64)]) -> (SourceFile, Lowered) {
    let file = SourceFile::new("t.tw", text.trim_start());
    let defines = defines.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    let lowered = load(file.clone(), &Options { defines, ..Options::default() });
    (file, lowered)
}

/// The control-flow graph of a thread or procedure, one line a location and one an edge.
pub fn graph(text: &str, routine: &str) -> String {
    let program = program(text);
    let index = program.routines.iter().position(|r| &*r.name == routine).expect("the routine exists");
    let routine = &program.routines[index];
    let show = Show { program: &program, routine };
    let mut out = String::new();
    for (id, location) in program.locations.iter().enumerate().filter(|(_, l)| l.routine.index() == index) {
        let id = LocationId(id as u32);
        let _ = write!(out, "{}:", show.location(id));
        for label in &location.labels {
            let _ = write!(out, " {label}");
        }
        for (flag, word) in
            [(routine.entry == id, "entry"), (routine.exit == id, "exit"), (location.transient, "transient")]
        {
            if flag {
                let _ = write!(out, " <{word}>");
            }
        }
        for local in location.dead.iter() {
            let _ = write!(out, " -{}", routine.locals[local.index()].name);
        }
        for invariant in &location.invariants {
            let _ = write!(out, " invariant {}", show.expr(invariant));
        }
        let _ = writeln!(out, " | {}", program.source.snippet(location.span, 30));
        for &edge in &location.edges {
            let edge = program.edge(edge);
            let branch = edge.branch.map_or(String::new(), |b| format!("[{b}] "));
            let _ = writeln!(out, "  {branch}{} -> {}", show.op(&edge.op), show.location(edge.to));
        }
    }
    out
}

/// The formulas of all properties.
pub fn properties(text: &str) -> String {
    use threadwise_ir::{Property, Wording};
    let program = program(text);
    let show = Show { program: &program, routine: &program.routines[0] };
    let line = |property: &Property| {
        let formula = property.formula().map(|(e, _)| show.expr(e)).unwrap_or_default();
        let vars = property
            .pattern()
            .into_iter()
            .flat_map(|pattern| pattern.signs().first())
            .flat_map(|sign| &sign.region().vars);
        let vars: Vec<String> = vars.map(|id| show.var(VarRef::Shared(*id))).collect();
        match &property.wording {
            Wording::Invariant(name) => format!("invariant {}: {formula}", name.as_deref().unwrap_or("_")),
            Wording::Never(None) => format!("never {formula}"),
            Wording::Never(Some(name)) => format!("never {name}: {formula}"),
            Wording::NoRace(name) => format!("norace {name}: {}", vars.join(" ")),
            Wording::NoDeadlock => "nodeadlock".to_string(),
            Wording::NoLockCycle => "nodeadlock of mutexes".to_string(),
        }
    };
    program.properties.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Expressions and commands of a routine as text.
pub struct Show<'a> {
    pub program: &'a Program,
    pub routine: &'a Routine,
}

impl Show<'_> {
    /// Locations are numbered from the routine's first one.
    fn location(&self, id: LocationId) -> String {
        let routine = self.program.location(id).routine;
        let first = self.program.locations.iter().position(|l| l.routine == routine).expect("it is there");
        format!("{}", id.index() - first)
    }

    fn var(&self, var: VarRef) -> String {
        match var {
            VarRef::Shared(id) => self.program.shared[id.index()].name.to_string(),
            VarRef::Local(id) => format!("{}#{}", self.routine.locals[id.index()].name, id.0),
        }
    }

    fn op(&self, op: &Op) -> String {
        match op {
            Op::Command(command) => self.command(command),
            Op::Call { routine, args, result } => {
                let args: Vec<String> = args.iter().map(|e| self.expr(e)).collect();
                let result = result.as_ref().map_or(String::new(), |p| format!("{} = ", self.place(p)));
                format!("{result}call {}({})", self.program.routine(*routine).name, args.join(", "))
            }
            Op::Return(None) => "return".to_string(),
            Op::Return(Some(e)) => format!("return {}", self.expr(e)),
        }
    }

    fn command(&self, command: &Command) -> String {
        let mut parts = Vec::new();
        for assertion in &command.assertions {
            let word = match assertion.kind {
                AssertionKind::Assert => "assert",
                AssertionKind::Release => "release",
                AssertionKind::Start => "start",
                AssertionKind::Join => "join",
                AssertionKind::Memory
                | AssertionKind::Arithmetic
                | AssertionKind::Lock
                | AssertionKind::Exception
                | AssertionKind::Beyond => {
                    unreachable!("programs in .tw have no memory")
                }
            };
            parts.push(format!("{word} {}", self.expr(&assertion.condition)));
        }
        parts.extend(command.guard.iter().map(|e| format!("when {}", self.expr(e))));
        match &command.update {
            Update::Assign(assignments) => {
                parts.extend(assignments.iter().map(|(place, value)| match value {
                    Value::Of(e) => format!("{} = {}", self.place(place), self.expr(e)),
                    Value::Any => format!("{} = *", self.place(place)),
                }));
            }
            Update::Action { frame, formula, assertion } => {
                let frame: Vec<String> = frame.iter().map(|&var| self.var(var)).collect();
                let assertion = assertion.as_ref().map_or(String::new(), |e| format!(" assert {}", self.expr(e)));
                parts.push(format!("[{}] {}{assertion}", frame.join(" "), self.expr(formula)));
            }
        }
        if parts.is_empty() { "skip".to_string() } else { parts.join("; ") }
    }

    fn place(&self, place: &Place) -> String {
        let indices = place.indices.iter().map(|e| format!("[{}]", self.expr(e)));
        format!("{}{}", self.var(place.var), indices.collect::<String>())
    }

    pub fn expr(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Const(value) => match &*e.sort {
                Sort::Bool => (*value != 0).to_string(),
                Sort::Tid => "none".to_string(),
                Sort::Enum(id) => self.program.enums[id.index()].members[*value as usize].to_string(),
                _ => value.to_string(),
            },
            ExprKind::Thread(id) => self.program.template(*id).name.to_string(),
            ExprKind::SelfThread => "self".to_string(),
            ExprKind::Read(var) => self.var(*var),
            ExprKind::ReadAfter(var) => format!("{}'", self.var(*var)),
            ExprKind::LocalOf(thread, local) => {
                let routine = self.program.routine(self.program.template(thread.template).body);
                format!("{}.{}", self.expr(&thread.thread), routine.locals[local.index()].name)
            }
            ExprKind::At(thread, locations) => {
                let at: Vec<String> = locations.iter().map(|l| self.location(*l)).collect();
                format!("{}@{{{}}}", self.expr(&thread.thread), at.join(" "))
            }
            ExprKind::Bound(depth) => format!("${depth}"),
            ExprKind::Unary(UnaryOp::Not, a) => format!("!{}", self.expr(a)),
            ExprKind::Unary(op, a) => format!("{op:?}({})", self.expr(a)),
            ExprKind::Binary(op, a, b) => format!("({} {op:?} {})", self.expr(a), self.expr(b)),
            ExprKind::Conditional(parts) => {
                let [c, a, b] = &**parts;
                format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::Index(a, i) => format!("{}[{}]", self.expr(a), self.expr(i)),
            ExprKind::SetLiteral(elements) => {
                let elements: Vec<String> = elements.iter().map(|e| self.expr(e)).collect();
                format!("{{{}}}:{}", elements.join(", "), self.sort(&e.sort))
            }
            ExprKind::ArrayLiteral(elements) => {
                let elements: Vec<String> = elements.iter().map(|e| self.expr(e)).collect();
                format!("[{}]:{}", elements.join(", "), self.sort(&e.sort))
            }
            ExprKind::Quantified(quantifier, binder, body) => {
                let domain = match &binder.domain {
                    Domain::Sort(sort) => self.sort(sort),
                    Domain::Copies(template) => self.program.template(*template).name.to_string(),
                };
                format!("{quantifier:?}({domain} :: {})", self.expr(body))
            }
        }
    }

    fn sort(&self, sort: &Sort) -> String {
        sort.display(&|id| &self.program.enums[id.index()].name).to_string()
    }
}
