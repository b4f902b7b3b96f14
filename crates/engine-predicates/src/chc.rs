//! Recursive Horn clauses over unknown relations, as SMT-LIB.

use std::fmt::Write;
use threadwise_logic::{Names, Term, Var};
use threadwise_space::{PointId, Space};

/// What the unknown relations of a set of clauses are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// What each thread reaches at each control point, and what each step does to shared variables: the
    /// modular form of REACHENV.
    Modular,
    /// What holds at each combination of control points: the general form, where all R_i are the same.
    Product,
}

/// An unknown relation.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub(crate) name: String,
    pub(crate) args: Vec<Var>,
    pub(crate) meaning: Meaning,
}

/// What an unknown relation stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// What a thread reaches at a point.
    Reach(usize, PointId),
    /// What a step of a thread does, by the thread's number and the step's.
    Environment(usize, usize),
    /// What holds where the threads are at these points.
    Product(Vec<PointId>),
}

/// An unknown relation applied to values.
#[derive(Clone, Debug)]
pub(crate) struct Application {
    pub(crate) relation: usize,
    pub(crate) args: Vec<Term>,
}

/// `body ∧ constraint → head`; a clause without a head says that the rest cannot be.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub(crate) body: Vec<Application>,
    pub(crate) constraint: Term,
    pub(crate) head: Option<Application>,
}

/// A set of recursive Horn clauses.
#[derive(Clone, Debug)]
pub struct Chc {
    /// What the relations are.
    pub encoding: Encoding,
    pub(crate) relations: Vec<Relation>,
    pub(crate) clauses: Vec<Clause>,
}

impl Chc {
    /// The number of unknown relations.
    pub fn relations(&self) -> usize {
        self.relations.len()
    }

    /// The number of clauses.
    pub fn clauses(&self) -> usize {
        self.clauses.len()
    }

    /// The clauses as a script that a solver of Horn clauses understands.
    pub fn smt(&self, space: &Space) -> String {
        let mut text = String::from("(set-logic HORN)\n");
        for relation in &self.relations {
            let sorts: Vec<String> = relation.args.iter().map(|var| space.smt_sort(*var).to_string()).collect();
            let _ = writeln!(text, "(declare-fun |{}| ({}) Bool)", relation.name, sorts.join(" "));
        }
        for clause in &self.clauses {
            self.write_clause(&mut text, space, clause);
        }
        text
    }

    fn write_clause(&self, text: &mut String, space: &Space, clause: &Clause) {
        let mut vars = clause.constraint.variables();
        for application in clause.body.iter().chain(&clause.head) {
            vars.extend(application.args.iter().flat_map(Term::variables));
        }
        let typed = Term::all(vars.iter().map(|var| space.typed(*var)));
        let mut body: Vec<String> =
            clause.body.iter().map(|application| self.application(space, application)).collect();
        let constraint = typed.and(clause.constraint.clone());
        if !constraint.is_true() {
            body.push(space.smt(&constraint));
        }
        let body = match body.len() {
            0 => "true".to_string(),
            1 => body.remove(0),
            _ => format!("(and {})", body.join(" ")),
        };
        let head = clause.head.as_ref().map_or("false".to_string(), |head| self.application(space, head));
        let bound: Vec<String> =
            vars.iter().map(|var| format!("({} {})", Names::name(space, *var), space.smt_sort(*var))).collect();
        let _ = if bound.is_empty() {
            writeln!(text, "(assert (=> {body} {head}))")
        } else {
            writeln!(text, "(assert (forall ({}) (=> {body} {head})))", bound.join(" "))
        };
    }

    fn application(&self, space: &Space, application: &Application) -> String {
        let args: Vec<String> = application.args.iter().map(|value| space.smt(value)).collect();
        match (&self.relations[application.relation].name, args.is_empty()) {
            (name, true) => format!("|{name}|"),
            (name, false) => format!("(|{name}| {})", args.join(" ")),
        }
    }
}

/// The value of each variable, as arguments of a relation.
pub(crate) fn identity(space: &Space, vars: &[Var]) -> Vec<Term> {
    vars.iter().map(|var| space.value(*var)).collect()
}

/// The name of a point for the name of a relation: its number and what people call it.
pub(crate) fn point_text(space: &Space, thread: usize, point: PointId) -> String {
    let id = threadwise_ir::ThreadId(thread as u32);
    format!("{}@{}#{}", space.instance.tid_name(thread as i64 + 1), space.point_name(id, point), point.0)
}

/// The formula with the control of the given threads fixed.
pub(crate) fn fix_control(space: &Space, formula: &Term, points: &[(usize, PointId)]) -> Term {
    formula.substitute(&|var| {
        let fixed = points.iter().find(|(thread, _)| space.threads[*thread].pc == var);
        fixed.map(|(_, point)| Term::int(i64::from(point.0)))
    })
}
